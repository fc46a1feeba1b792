# Frozen reference numbers: what R's agreement packages say about the tables in tables/.
# Run from this directory: Rscript make_reference.R
# Packages: irr, irrCAC, DescTools, psych, vcd, epiR, krippendorffsalpha, lme4, BlandAltmanLeh,
# SimplyAgree, jsonlite. README.md says which versions made the files in this directory.

suppressPackageStartupMessages({
  library(irr)
  library(irrCAC)
  library(jsonlite)
  library(lme4)
})

# ---------------------------------------------------------------- tables

index <- read.csv("tables/index.csv", colClasses = "character")

levels_of <- function(name) strsplit(index$levels[index$table == name], "|", fixed = TRUE)[[1]]

read_wide <- function(name) {
  table <- read.csv(file.path("tables", paste0(name, ".csv")), check.names = FALSE,
                    na.strings = "", stringsAsFactors = FALSE)
  as.data.frame(table[, -1, drop = FALSE])
}

read_contingency <- function(name) {
  m <- as.matrix(read_wide(name))
  dimnames(m) <- list(first = levels_of(name), second = levels_of(name))
  m
}

# A contingency table as one row per item, labels as factors that keep the declared levels.
as_pairs <- function(m) {
  cells <- as.data.frame(as.table(m), stringsAsFactors = FALSE)
  rows <- cells[rep(seq_len(nrow(cells)), cells$Freq), 1:2]
  rows[] <- lapply(rows, factor, levels = rownames(m))
  rownames(rows) <- NULL
  rows
}

rated_items <- function(ratings) ratings[rowSums(!is.na(ratings)) > 0, , drop = FALSE]

# ---------------------------------------------------------------- records

records <- new.env()
records$list <- list()

# Arguments start with a dot because R matches names by their beginnings: `p` would be `package`.
add <- function(.table, .statistic, .package, .function, ..., options = list()) {
  record <- c(list(table = .table, statistic = .statistic, package = .package, `function` = .function),
              if (length(options)) list(options = options), list(...))
  record <- record[!vapply(record, is.null, logical(1))]
  records$list[[length(records$list) + 1]] <- record
}

# JSON has no infinities and no not-a-number: they are written as the strings "inf", "-inf", "nan".
plain <- function(x) {
  if (is.list(x)) return(lapply(x, plain))
  if (is.logical(x) && length(x) == 1 && is.na(x)) return("nan")
  if (!is.numeric(x)) return(x)
  x <- unname(as.vector(x))
  if (length(x) == 1 && !is.finite(x)) return(if (is.nan(x) || is.na(x)) "nan" else if (x > 0) "inf" else "-inf")
  x
}

write_records <- function(file) {
  records$list <- mark_undeclared(lapply(records$list, mark))
  lines <- vapply(records$list, function(r)
    as.character(toJSON(plain(r), auto_unbox = TRUE, digits = I(15))), character(1))
  writeLines(c("[", paste0(lines, c(rep(",", length(lines) - 1), "")), "]"), file)
  cat(file, length(lines), "records\n")
  records$list <- list()
}

# The value of an expression, or the error's first line.
attempt <- function(expr) tryCatch(suppressMessages(suppressWarnings(expr)), error = function(e) e)
failed <- function(x) inherits(x, "error")
add_error <- function(table, statistic, package, fn, error, options = list())
  add(table, statistic, package, fn, error = strsplit(conditionMessage(error), "\n")[[1]][1],
      options = options)

# ---------------------------------------------------------------- what is not to be believed

# `deviates` names the fields of a record that are not what the statistic's definition gives, and
# `why` says so in a line; README.md has the longer account. `note` marks a convention, not an error.
interval <- c("lower", "upper")
test <- c("df2", "p")
everything <- c("value", "se", "lower", "upper", "p", "f", "df1", "df2", "z", "observed", "expected",
                "se_h0", "z_h0", "p_h0", "ms_items", "ms_raters", "ms_error", "ms_within")
made_by <- function(r, package, fn = NULL, statistic = NULL)
  r$package == package && (is.null(fn) || r$`function` %in% fn) && (is.null(statistic) || r$statistic %in% statistic)
weighted <- function(r) !identical(r$options$weights, "unweighted")
n_levels <- function(r) length(levels_of(r$table))
cells <- function(name) if (name %in% index$table) read_wide(name) else data.frame(1)
complete_table <- function(r) !anyNA(cells(r$table))
has_single_ratings <- function(r) {
  layout <- index$layout[index$table == r$table]
  x <- cells(r$table)
  if (identical(layout, "counts")) return(any(rowSums(x) == 1))
  identical(layout, "wide") && any(rowSums(!is.na(x)) == 1)
}

rules <- list(
  list(function(r) made_by(r, "psych", "cohen.kappa") && weighted(r) && n_levels(r) > 2, c("se", interval),
       "weighted variance: row sums of the weight matrix where the margin-weighted mean weights belong; a negative result is set to 0"),
  list(function(r) made_by(r, "psych", "cohen.kappa") && identical(r$options$labels, "factor") &&
         is.null(r$options$levels) && r$table == "made_ordered_words", "value",
       "levels of a factor are put in alphabetical order"),
  list(function(r) made_by(r, "psych", "cohen.kappa") && r$table == "made_one_category", "se", "undefined, given as 0"),
  list(function(r) r$table == "made_paradox_99" && r$package %in% c("vcd", "DescTools", "irr", "irrCAC") &&
         r$statistic == "Cohen kappa", c("se", "se_h0", "z", "p", interval),
       "the variance is exactly 0, its rounding error below 0 gives not-a-number"),
  list(function(r) made_by(r, "epiR", "epi.kappa", "Cohen kappa"), interval, "standard error under H0 used for the interval"),
  list(function(r) made_by(r, "irr", "kappa2") && weighted(r) && r$table == "made_unused_middle",
       c("value", "se_h0", "z_h0", "p_h0"), "a declared level that nobody used is dropped"),
  list(function(r) made_by(r, "irr", "kappa2") && weighted(r) && !is.null(r$options$labels) && r$table == "made_ordered_words",
       c("value", "se_h0", "z_h0", "p_h0"), "labels, of a factor too, are put in alphabetical order"),
  list(function(r) made_by(r, "epiR", "epi.kappa", "PABAK") && n_levels(r) > 2, c("value", interval),
       "2 Po - 1 whatever the number of categories"),
  list(function(r) made_by(r, "DescTools", "KappaM", "Fleiss kappa"), interval, "standard error under H0 used for the interval"),
  list(function(r) r$`function` %in% c("kripp.alpha", "KrippAlpha") && r$table == "made_one_category_wide", "value",
       "one category: undefined, given as 1"),
  list(function(r) r$`function` %in% c("kripp.alpha", "KrippAlpha") && r$table != "made_one_category_wide" && complete_table(r) && isTRUE(r$n_raters > 2), "value",
       "without a missing cell pairs are not divided by the number of raters less one"),
  list(function(r) made_by(r, "irrCAC", "krippen.alpha.raw") && identical(r$options$weights, "ordinal") && n_levels(r) > 2,
       everything, "plain ordinal weights, not Krippendorff's cumulative counts"),
  list(function(r) made_by(r, "irrCAC", "krippen.alpha.raw") && identical(r$options$weights, "ratio") && "0" %in% levels_of(r$table),
       everything, "0 against 0 gives 0/0"),
  list(function(r) made_by(r, "krippendorffsalpha") && identical(r$options$level, "ordinal") &&
         !r$table %in% c("made_binary_paradox_wide", "made_one_category_wide"), "value", "ordinal is computed as interval"),
  list(function(r) made_by(r, "irrCAC", "krippen.alpha.dist"), c("se", interval), "another variance than krippen.alpha.raw on the same data"),
  list(function(r) made_by(r, "irrCAC", "gwet.ac1.raw") && identical(r$options$weights, "unweighted") &&
         is.null(r$options$categories) && r$table == "made_one_category_wide", "value", "one category: undefined, given as 1"),
  list(function(r) identical(r$options$unrated_items, "kept"), everything, "an item nobody rated gives 0/0"),
  list(function(r) made_by(r, "irr", "icc") && identical(r$options$model, "twoway") && identical(r$options$type, "agreement"), test,
       "degrees of freedom of the interval used for the test, and not those at the null value"),
  list(function(r) made_by(r, "irr", "icc") && identical(r$options$model, "twoway") && identical(r$options$type, "agreement") &&
         identical(r$options$unit, "average"), interval,
       "Satterthwaite degrees of freedom of the single form fed with the average form's coefficient"),
  list(function(r) made_by(r, "DescTools", "ICC") && !complete_table(r), everything,
       "missing cells: sums of squares of what is left, numbers of items and ratings of the full table"),
  list(function(r) made_by(r, "psych", "ICC") && isTRUE(r$options$lmer) && !complete_table(r), c("f", "df1", "df2", "p", interval),
       "missing cells: F, degrees of freedom and interval as if the table were complete"),
  list(function(r) r$table == "made_constant" && r$`function` %in% c("ICC"), everything, "no variance: rounding noise"),
  list(function(r) r$table == "made_always_5_higher" && made_by(r, "psych", "ICC") && grepl("^ICC\\([23]", r$statistic),
       c("f", "p"), "infinite; rounding noise shown"),
  list(function(r) r$table == "made_always_5_higher" && made_by(r, "psych", "ICC", "F raters"), c("value", "p"),
       "infinite; rounding noise shown"),
  list(function(r) r$table == "made_always_5_higher" && made_by(r, "DescTools", "ICC") && grepl("^ICC\\([23]", r$statistic),
       "f", "infinite; rounding noise shown"),
  list(function(r) r$table == "made_always_5_higher" && made_by(r, "irr", "icc") && grepl("^ICC\\(3", r$statistic), interval,
       "F is infinite and the bounds inf/inf; their limit is 1"),
  list(function(r) is.numeric(r$lower) && isTRUE(r$lower > r$upper), interval, "Spearman-Brown step through its pole: bounds out of order"),
  list(function(r) identical(r$statistic, "ICC(2,k)") && r$package != "irr" && is.numeric(r$value) && isTRUE(r$value > 1) &&
         isTRUE(r$lower <= r$upper), interval, "Spearman-Brown step through its pole: bounds of no meaning")
)

# Digits that lme4's optimiser settles: six as called here, fewer with the tolerances psych leaves it.
settled_digits <- function(r) {
  if (r$package != "lme4" && !isTRUE(r$options$lmer)) return(r)
  digits <- if (r$package == "lme4") 6 else 5
  fitted <- setdiff(names(r)[vapply(r, is.numeric, logical(1))], "level")
  r[fitted] <- lapply(r[fitted], signif, digits)
  r
}

mark <- function(r) {
  if (!is.null(r$error)) return(r)
  r <- settled_digits(r)
  hits <- Filter(function(rule) isTRUE(rule[[1]](r)), rules)
  fields <- unique(unlist(lapply(hits, `[[`, 2)))
  fields <- fields[fields %in% names(r)]
  if (length(fields)) {
    r$deviates <- I(fields)
    r$why <- paste(vapply(hits, `[[`, "", 3), collapse = "; ")
  }
  if (r$package == "irrCAC" && grepl("raw$|dist$", r$`function`) && !grepl("alpha", r$`function`) && has_single_ratings(r))
    r$note <- "items rated once enter the variance as zeros (Gwet)"
  if (made_by(r, "irrCAC", "krippen.alpha.raw") && !complete_table(r))
    r$note <- "the variance mixes the agreement before and after the small-sample step"
  r
}

# irrCAC without declared categories, against the same call with them.
mark_undeclared <- function(all) {
  raw <- function(r) r$package == "irrCAC" && grepl("raw$", r$`function`) && is.null(r$options$level) && is.null(r$error)
  key <- function(r) paste(r$table, r$statistic, r$options$weights)
  declared <- Filter(function(r) raw(r) && !is.null(r$options$categories), all)
  names(declared) <- vapply(declared, key, "")
  lapply(all, function(r) {
    if (!raw(r) || !is.null(r$options$categories) || is.null(declared[[key(r)]])) return(r)
    twin <- declared[[key(r)]]
    if (is.finite(twin$value) && !isTRUE(abs(r$value - twin$value) < 1e-9)) {
      r$deviates <- I(intersect(everything, names(r)))
      r$why <- "categories not declared: those that occur, numbers by value, text by alphabet"
    }
    r
  })
}

normal_interval <- function(value, se, level = 0.95)
  value + c(-1, 1) * qnorm(1 - (1 - level) / 2) * se

# ---------------------------------------------------------------- two raters

linear_weights <- function(q) 1 - abs(outer(1:q, 1:q, "-")) / (q - 1)
quadratic_weights_of <- function(q) 1 - (outer(1:q, 1:q, "-") / (q - 1))^2
weights_named <- function(name, q)
  switch(name, unweighted = diag(q), linear = linear_weights(q), quadratic = quadratic_weights_of(q))

# Fleiss, Cohen and Everitt 1969, both variances, where packages give one of them or none.
kappa_by_hand <- function(m, w) {
  n <- sum(m)
  p <- m / n
  chance <- outer(rowSums(p), colSums(p))
  expected <- sum(w * chance)
  k <- (sum(w * p) - expected) / (1 - expected)
  means <- outer(as.vector(w %*% colSums(p)), as.vector(t(w) %*% rowSums(p)), "+")
  general <- sum(p * (w - means * (1 - k))^2) - (k - expected * (1 - k))^2
  null <- sum(chance * (w - means)^2) - expected^2
  # a variance that is 0 can come out as a rounding error below 0
  list(value = k, se = sqrt(max(general, 0)) / ((1 - expected) * sqrt(n)),
       se_h0 = sqrt(max(null, 0)) / ((1 - expected) * sqrt(n)), observed = sum(w * p), expected = expected)
}

kappa_from_table <- function(name, m) {
  q <- nrow(m)
  for (scheme in c("unweighted", "linear", "quadratic")) {
    w <- weights_named(scheme, q)
    options <- list(weights = scheme)
    k <- kappa_by_hand(m, w)
    z <- k$value / k$se_h0
    do.call(add, c(list(name, "Cohen kappa", "base", "arithmetic"), k, list(z_h0 = z, p_h0 = 2 * pnorm(-abs(z)),
            n_items = sum(m), options = options)))
    k <- attempt(psych::cohen.kappa(m, w = w))
    if (failed(k)) add_error(name, "Cohen kappa", "psych", "cohen.kappa", k, options) else {
      weighted <- scheme != "unweighted"
      row <- if (weighted) 2 else 1
      add(name, "Cohen kappa", "psych", "cohen.kappa", options = options,
          value = if (weighted) k$weighted.kappa else k$kappa,
          se = sqrt(if (weighted) k$var.weighted else k$var.kappa),
          lower = k$confid[row, 1], upper = k$confid[row, 3], level = 0.95, n_items = sum(m))
    }
    named <- c(unweighted = "Unweighted", linear = "Equal-Spacing", quadratic = "Fleiss-Cohen")[[scheme]]
    k <- attempt(DescTools::CohenKappa(m, weights = named, conf.level = 0.95))
    if (failed(k)) add_error(name, "Cohen kappa", "DescTools", "CohenKappa", k, options) else
      add(name, "Cohen kappa", "DescTools", "CohenKappa", options = options, value = k[[1]],
          lower = min(k[2:3]), upper = max(k[2:3]), level = 0.95, n_items = sum(m))
    k <- attempt(vcd::Kappa(m, weights = if (scheme == "quadratic") "Fleiss-Cohen" else "Equal-Spacing"))
    if (failed(k)) add_error(name, "Cohen kappa", "vcd", "Kappa", k, options) else {
      part <- if (scheme == "unweighted") k$Unweighted else k$Weighted
      ci <- normal_interval(part[[1]], part[[2]])
      add(name, "Cohen kappa", "vcd", "Kappa", options = options, value = part[[1]], se = part[[2]],
          lower = ci[1], upper = ci[2], level = 0.95, z = part[[1]] / part[[2]],
          p = 2 * pnorm(-abs(part[[1]] / part[[2]])), n_items = sum(m))
    }
    pairs <- as_pairs(m)
    # Levels as numbers, so that irr ranks them by value; unused levels are still lost.
    coded <- sapply(pairs, as.integer)
    weight <- c(unweighted = "unweighted", linear = "equal", quadratic = "squared")[[scheme]]
    k <- attempt(irr::kappa2(coded, weight = weight))
    if (failed(k)) add_error(name, "Cohen kappa", "irr", "kappa2", k, options) else
      add(name, "Cohen kappa", "irr", "kappa2", options = options, value = k$value,
          se_h0 = abs(k$value / k$statistic), z_h0 = k$statistic, p_h0 = k$p.value, n_items = k$subjects)
    k <- attempt(irrCAC::kappa2.table(m, weights = w))
    if (failed(k)) add_error(name, "Cohen kappa", "irrCAC", "kappa2.table", k, options) else
      add(name, "Cohen kappa", "irrCAC", "kappa2.table", options = options, value = k$coeff.val,
          se = k$coeff.se, n_items = sum(m))
  }
}

# psych's own example of Cohen-style custom weights, through every package that takes a matrix.
kappa_custom_weights <- function(name, m, w) {
  options <- list(weights = "matrix", matrix = lapply(seq_len(nrow(w)), function(i) w[i, ]))
  k <- psych::cohen.kappa(m, w = w)
  add(name, "Cohen kappa", "psych", "cohen.kappa", options = options, value = k$weighted.kappa,
      se = sqrt(k$var.weighted), n_items = sum(m))
  k <- DescTools::CohenKappa(m, weights = w, conf.level = 0.95)
  add(name, "Cohen kappa", "DescTools", "CohenKappa", options = options, value = k[[1]],
      lower = min(k[2:3]), upper = max(k[2:3]), level = 0.95, n_items = sum(m))
  k <- vcd::Kappa(m, weights = w)
  add(name, "Cohen kappa", "vcd", "Kappa", options = options, value = k$Weighted[[1]],
      se = k$Weighted[[2]], n_items = sum(m))
  k <- irrCAC::kappa2.table(m, weights = w)
  add(name, "Cohen kappa", "irrCAC", "kappa2.table", options = options, value = k$coeff.val,
      se = k$coeff.se, n_items = sum(m))
}

indices_from_table <- function(name, m) {
  k <- attempt(epiR::epi.kappa(m, method = "fleiss"))
  if (failed(k)) return(add_error(name, "PABAK", "epiR", "epi.kappa", k))
  n <- sum(m)
  add(name, "percent agreement", "epiR", "epi.kappa", value = k$prop.agree$obs,
      expected = k$prop.agree$exp, n_items = n)
  add(name, "PABAK", "epiR", "epi.kappa", value = k$pabak$est, lower = k$pabak$lower,
      upper = k$pabak$upper, level = 0.95, n_items = n, options = list(interval = "Clopper-Pearson on Po"))
  add(name, "Cohen kappa", "epiR", "epi.kappa", options = list(weights = "unweighted", method = "fleiss"),
      value = k$kappa$est, se_h0 = k$kappa$se, z_h0 = k$z$test.statistic, p_h0 = k$z$p.value,
      lower = k$kappa$lower, upper = k$kappa$upper, level = 0.95, n_items = n)
  if (nrow(m) == 2) {
    add(name, "prevalence index", "epiR", "epi.kappa", value = k$pindex$est, n_items = n)
    add(name, "bias index", "epiR", "epi.kappa", value = k$bindex$est, n_items = n)
  }
  p <- m / n
  expected <- sum(rowSums(p) * colSums(p))
  add(name, "maximum kappa", "base", "arithmetic", n_items = n,
      value = (sum(pmin(rowSums(p), colSums(p))) - expected) / (1 - expected))
}

coefficients_from_table <- function(name, m) {
  q <- nrow(m)
  functions <- list(`Gwet AC` = "gwet.ac1.table", `Brennan-Prediger` = "bp2.table",
                    `Scott pi` = "scott2.table", `Krippendorff alpha` = "krippen2.table",
                    `percent agreement` = "pa2.table")
  schemes <- list(unweighted = diag(q), linear = linear.weights(1:q), quadratic = quadratic.weights(1:q),
                  ordinal = ordinal.weights(1:q))
  for (statistic in names(functions)) for (scheme in names(schemes)) {
    fn <- functions[[statistic]]
    r <- attempt(get(fn, asNamespace("irrCAC"))(m, weights = schemes[[scheme]]))
    options <- list(weights = scheme)
    if (failed(r)) { add_error(name, statistic, "irrCAC", fn, r, options); next }
    half <- qt(0.975, sum(m) - 1) * r$coeff.se
    add(name, statistic, "irrCAC", fn, options = options, value = r$coeff.val, se = r$coeff.se,
        lower = r$coeff.val - half, upper = min(1, r$coeff.val + half), level = 0.95,
        df = sum(m) - 1, n_items = sum(m), n_categories = q)
  }
}

kappa_from_pairs <- function(name, ratings) {
  declared <- levels_of(name)
  as_text <- data.frame(lapply(ratings, as.character))
  as_factor <- data.frame(lapply(as_text, factor, levels = declared))
  m <- table(as_factor)
  kappa_from_table(name, unclass(m))
  coefficients_from_table(name, unclass(m))
  for (weight in c("unweighted", "equal", "squared")) {
    scheme <- c(unweighted = "unweighted", equal = "linear", squared = "quadratic")[[weight]]
    for (given in c("text", "factor")) {
      k <- irr::kappa2(if (given == "text") as_text else as_factor, weight = weight)
      add(name, "Cohen kappa", "irr", "kappa2", options = list(weights = scheme, labels = given),
          value = k$value, se_h0 = abs(k$value / k$statistic), z_h0 = k$statistic, p_h0 = k$p.value,
          n_items = k$subjects)
    }
  }
  k <- attempt(psych::cohen.kappa(as_factor))
  add(name, "Cohen kappa", "psych", "cohen.kappa", options = list(weights = "quadratic", labels = "factor"),
      value = k$weighted.kappa, se = sqrt(k$var.weighted), n_items = k$n.obs)
  k <- attempt(psych::cohen.kappa(as_factor, levels = declared))
  add(name, "Cohen kappa", "psych", "cohen.kappa",
      options = list(weights = "quadratic", labels = "factor", levels = declared),
      value = k$weighted.kappa, se = sqrt(k$var.weighted), n_items = k$n.obs)
}

contingency <- index$table[index$layout == "contingency"]
for (name in contingency) {
  m <- read_contingency(name)
  kappa_from_table(name, m)
  indices_from_table(name, m)
}
kappa_custom_weights("fleiss_cohen_everitt_1969", read_contingency("fleiss_cohen_everitt_1969"),
                     matrix(c(1, 0, 0.4444, 0, 1, 0.6667, 0.4444, 0.6667, 1), 3))
for (name in c("made_ordered_words", "made_pair_missing", "gwet_ben_gerry"))
  kappa_from_pairs(name, read_wide(name))
write_records("r_kappa.json")

# ---------------------------------------------------------------- many raters, categories

# irrCAC rounds the standard error to five digits and the interval to three. The value comes in
# full from the pa and pe it returns; the error in full by asking, through the population size
# argument, for a variance 1e18 times as large: the rounding then falls on digits of no weight.
raw_coefficient <- function(fn, ratings, weights, labels = NULL, df = nrow(ratings) - 1) {
  call <- get(fn, asNamespace("irrCAC"))
  est <- call(ratings, weights = weights, categ.labels = labels)$est
  inflated <- call(ratings, weights = weights, categ.labels = labels, N = -nrow(ratings) * 1e-18)$est
  value <- (est$pa - est$pe) / (1 - est$pe)
  se <- inflated$coeff.se * 1e-9
  stopifnot(is.na(se) || abs(se - est$coeff.se) < 1e-5, is.na(value) || abs(value - est$coeff.val) < 1e-5)
  half <- qt(0.975, df) * se
  list(value = value, se = se, lower = value - half, upper = min(1, value + half), level = 0.95,
       df = df, p = est$p.value, observed = est$pa, expected = est$pe)
}

add_raw <- function(name, statistic, fn, ratings, scheme, labels = NULL, weights = scheme, df = nrow(ratings) - 1,
                    options = list()) {
  options <- c(list(weights = scheme), options, if (!is.null(labels)) list(categories = labels))
  r <- attempt(raw_coefficient(fn, ratings, weights, labels, df))
  if (failed(r)) return(add_error(name, statistic, "irrCAC", fn, r, options))
  do.call(add, c(list(name, statistic, "irrCAC", fn), r, list(options = options,
          n_items = nrow(ratings), n_raters = ncol(ratings),
          n_categories = if (is.null(labels)) length(unique(na.omit(as.vector(as.matrix(ratings))))) else length(labels))))
}

wide_categorical <- index$table[index$layout == "wide" & index$scale %in% c("nominal", "ordinal") &
                                  !index$table %in% c("made_ordered_words", "made_pair_missing")]

fleiss_of <- function(name, ratings) {
  complete <- na.omit(ratings)
  listwise <- if (nrow(complete) < nrow(ratings)) list(missing = "listwise") else list()
  k <- attempt(irr::kappam.fleiss(ratings))
  if (failed(k)) add_error(name, "Fleiss kappa", "irr", "kappam.fleiss", k, listwise) else {
    add(name, "Fleiss kappa", "irr", "kappam.fleiss", options = listwise, value = k$value,
        se_h0 = abs(k$value / k$statistic), z_h0 = k$statistic, p_h0 = k$p.value,
        n_items = k$subjects, n_raters = k$raters)
    # detail = TRUE rounds to three digits. A category against the rest is a two-category table
    # whose Fleiss kappa and z are the category's own, in full.
    detail <- irr::kappam.fleiss(ratings, detail = TRUE)$detail
    for (category in rownames(detail)) {
      one <- irr::kappam.fleiss(1 * (as.matrix(complete) == category))
      if (is.finite(one$value))
        stopifnot(abs(one$value - detail[category, "Kappa"]) < 6e-4, abs(one$statistic - detail[category, "z"]) < 6e-4)
      add(name, "Fleiss kappa, one category", "irr", "kappam.fleiss",
          options = c(list(category = category), listwise), value = one$value,
          se_h0 = abs(one$value / one$statistic), z_h0 = one$statistic, p_h0 = one$p.value,
          n_items = one$subjects, n_raters = one$raters)
    }
    k <- irr::kappam.fleiss(ratings, exact = TRUE)
    add(name, "Conger kappa", "irr", "kappam.fleiss", options = c(list(exact = TRUE), listwise),
        value = k$value, n_items = k$subjects, n_raters = k$raters)
    if (nrow(complete) > 2) {
      k <- attempt(irr::kappam.light(ratings))
      if (!failed(k)) add(name, "Light kappa", "irr", "kappam.light", options = listwise, value = k$value,
                          n_items = k$subjects, n_raters = k$raters)
    }
  }
  for (method in c("Fleiss", "Conger", "Light")) {
    k <- attempt(DescTools::KappaM(ratings, method = method, conf.level = 0.95))
    statistic <- paste(method, "kappa")
    options <- c(list(method = method), listwise)
    if (failed(k)) add_error(name, statistic, "DescTools", "KappaM", k, options) else
      add(name, statistic, "DescTools", "KappaM", options = options, value = k[[1]],
          lower = if (method == "Fleiss") min(k[2:3]), upper = if (method == "Fleiss") max(k[2:3]),
          level = if (method == "Fleiss") 0.95, n_items = nrow(complete), n_raters = ncol(ratings))
  }
  rated <- rated_items(ratings)
  add_raw(name, "Fleiss kappa", "fleiss.kappa.raw", rated, "unweighted", levels_of(name))
  add_raw(name, "Conger kappa", "conger.kappa.raw", rated, "unweighted", levels_of(name))
  if (nrow(rated) < nrow(ratings))
    add_raw(name, "Fleiss kappa", "fleiss.kappa.raw", ratings, "unweighted", levels_of(name),
            options = list(unrated_items = "kept"))
  if (index$scale[index$table == name] == "ordinal") for (scheme in c("linear", "quadratic", "ordinal")) {
    add_raw(name, "Fleiss kappa", "fleiss.kappa.raw", rated, scheme, levels_of(name))
    add_raw(name, "Conger kappa", "conger.kappa.raw", rated, scheme, levels_of(name))
  }
}

counts_of <- function(name) {
  m <- as.matrix(read_wide(name))
  functions <- list(`Fleiss kappa` = "fleiss.kappa.dist", `Gwet AC` = "gwet.ac1.dist",
                    `Krippendorff alpha` = "krippen.alpha.dist", `Brennan-Prediger` = "bp.coeff.dist",
                    `percent agreement` = "pa.coeff.dist")
  schemes <- if (index$scale[index$table == name] == "ordinal")
    c("unweighted", "linear", "quadratic", "ordinal") else "unweighted"
  for (statistic in names(functions)) for (scheme in schemes) {
    r <- attempt(get(functions[[statistic]], asNamespace("irrCAC"))(m, weights = scheme))
    if (failed(r)) { add_error(name, statistic, "irrCAC", functions[[statistic]], r, list(weights = scheme)); next }
    n <- if (statistic == "Krippendorff alpha") sum(rowSums(m) >= 2) else nrow(m)
    half <- qt(0.975, n - 1) * r$stderr
    add(name, statistic, "irrCAC", functions[[statistic]], options = list(weights = scheme), value = r$coeff,
        se = r$stderr, lower = r$coeff - half, upper = min(1, r$coeff + half), level = 0.95, df = n - 1,
        n_items = nrow(m), n_categories = ncol(m))
  }
}

# The variance with the observed agreement as the ratio it is: sum over the items with two ratings
# or more, by their number. Equals irrCAC where no item has a single rating.
linearised <- function(name) {
  counts <- if (index$layout[index$table == name] == "counts") as.matrix(read_wide(name)) else
    sapply(levels_of(name), function(k) rowSums(read_wide(name) == k, na.rm = TRUE))
  counts <- counts[rowSums(counts) > 0, ]
  n <- nrow(counts)
  q <- ncol(counts)
  ratings <- rowSums(counts)
  pairable <- ratings >= 2
  share <- counts / ratings
  margin <- colMeans(share)
  schemes <- if (index$scale[index$table == name] == "ordinal") c("unweighted", "linear", "quadratic") else "unweighted"
  for (scheme in schemes) {
    w <- weights_named(scheme, q)
    agreement <- ifelse(pairable, rowSums(counts * (counts %*% w - 1)) / pmax(ratings * (ratings - 1), 1), 0)
    observed <- mean(agreement[pairable])
    in_observed <- ifelse(pairable, (n / sum(pairable)) * (agreement - observed), 0)
    chance <- list(`Fleiss kappa` = list(sum(w * outer(margin, margin)), 2 * as.vector(share %*% w %*% margin)),
                   `Gwet AC` = list(sum(w) * sum(margin * (1 - margin)) / (q * (q - 1)),
                                    sum(w) * as.vector(share %*% (1 - 2 * margin)) / (q * (q - 1))),
                   `Brennan-Prediger` = list(sum(w) / q^2, rep(0, n)),
                   `percent agreement` = list(0, rep(0, n)))
    for (statistic in names(chance)) {
      expected <- chance[[statistic]][[1]]
      value <- (observed - expected) / (1 - expected)
      in_expected <- chance[[statistic]][[2]] - mean(chance[[statistic]][[2]])
      influence <- (in_observed - (1 - value) * in_expected) / (1 - expected)
      add(name, statistic, "base", "arithmetic", value = value, se = sqrt(sum(influence^2) / (n * (n - 1))),
          observed = observed, expected = expected, n_items = n, n_pairable_items = sum(pairable), n_categories = q,
          options = list(weights = scheme, variance = "observed agreement as a ratio"))
    }
  }
}

for (name in wide_categorical) fleiss_of(name, read_wide(name))
for (name in c("krippendorff_2011", "gwet_ben_gerry", "gwet_four_raters", "gwet_five_observers", "made_unequal_raters",
               "made_pair_missing", "gwet_counts_unequal")) linearised(name)
for (name in index$table[index$layout == "counts"]) counts_of(name)
write_records("r_fleiss.json")

# ---------------------------------------------------------------- Krippendorff

alpha_of <- function(name, ratings) {
  numeric <- all(vapply(ratings, is.numeric, logical(1)))
  coded <- if (numeric) as.matrix(ratings) else
    sapply(ratings, function(x) match(x, levels_of(name)))
  levels_here <- if (numeric) c("nominal", "ordinal", "interval", "ratio") else c("nominal", "ordinal")
  pairable <- sum(rowSums(!is.na(coded)) >= 2)
  for (level in levels_here) {
    options <- list(level = level)
    r <- attempt(irr::kripp.alpha(t(coded), method = level))
    if (failed(r)) add_error(name, "Krippendorff alpha", "irr", "kripp.alpha", r, options) else
      add(name, "Krippendorff alpha", "irr", "kripp.alpha", options = options, value = r$value,
          n_items = nrow(coded), n_raters = ncol(coded), n_pairable_items = pairable)
    r <- attempt(DescTools::KrippAlpha(t(coded), method = level))
    if (failed(r)) add_error(name, "Krippendorff alpha", "DescTools", "KrippAlpha", r, options) else
      add(name, "Krippendorff alpha", "DescTools", "KrippAlpha", options = options, value = r$value,
          n_items = nrow(coded), n_raters = ncol(coded), n_pairable_items = pairable)
    r <- attempt(krippendorffsalpha::krippendorffs.alpha(coded[rowSums(!is.na(coded)) >= 2, ], level = level,
                 method = "customary", confint = FALSE, verbose = FALSE))
    if (failed(r)) add_error(name, "Krippendorff alpha", "krippendorffsalpha", "krippendorffs.alpha", r, options) else
      add(name, "Krippendorff alpha", "krippendorffsalpha", "krippendorffs.alpha",
          options = c(options, list(method = "customary")), value = r$alpha.hat,
          n_items = nrow(coded), n_raters = ncol(coded), n_pairable_items = pairable)
  }
  rated <- rated_items(coded)
  schemes <- c(nominal = "unweighted", ordinal = "ordinal", interval = "quadratic", ratio = "ratio")[levels_here]
  for (level in levels_here)
    add_raw(name, "Krippendorff alpha", "krippen.alpha.raw", rated, schemes[[level]], df = pairable - 1,
            options = list(level = level))
  # The ordinal metric of Krippendorff 2011 handed to irrCAC as a weight matrix: the squared
  # cumulative count between two ranks, from the pairable values. Gives his alpha with a variance.
  kept <- rated[rowSums(!is.na(rated)) >= 2, , drop = FALSE]
  ranks <- sort(unique(as.vector(kept[!is.na(kept)])))
  if (length(ranks) > 1) {
    counts <- as.vector(table(factor(kept, levels = ranks)))
    middle <- cumsum(counts) - counts / 2
    distance <- outer(middle, middle, "-")^2
    add_raw(name, "Krippendorff alpha", "krippen.alpha.raw", kept, "2011 ordinal metric as matrix",
            weights = 1 - distance / max(distance), df = pairable - 1, options = list(level = "ordinal"))
  }
}

# 2011 definition, and the variance of the uncorrected ratio of disagreements by linearisation over
# items (ordinal: the metric held as it is). Equals irrCAC on complete tables.
alpha_by_hand <- function(name) {
  declared <- levels_of(name)
  ratings <- read_wide(name)
  counts <- sapply(declared, function(k) rowSums(ratings == k, na.rm = TRUE))
  counts <- counts[rowSums(counts) >= 2, colSums(counts[rowSums(counts) >= 2, , drop = FALSE]) > 0, drop = FALSE]
  n <- nrow(counts)
  each <- rowSums(counts)
  total <- sum(counts)
  column <- colSums(counts)
  margin <- column / total
  values <- suppressWarnings(as.numeric(colnames(counts)))
  middle <- cumsum(column) - column / 2
  metrics <- list(nominal = 1 - diag(length(column)), ordinal = outer(middle, middle, "-")^2)
  if (!anyNA(values)) {
    ratio <- (outer(values, values, "-") / outer(values, values, "+"))^2
    ratio[!is.finite(ratio)] <- 0
    metrics <- c(metrics, list(interval = outer(values, values, "-")^2, ratio = ratio))
  }
  for (level in names(metrics)) {
    d <- metrics[[level]]
    within <- rowSums(counts * (counts %*% d)) / (each - 1)
    observed <- sum(within) / total
    expected <- as.vector(margin %*% d %*% margin)
    in_expected <- 2 * as.vector((counts - outer(each, margin)) %*% d %*% margin)
    influence <- (n / total) * ((within - observed * each) / expected - observed * in_expected / expected^2)
    add(name, "Krippendorff alpha", "base", "arithmetic", value = 1 - observed * (total - 1) / (expected * total),
        se = sqrt(sum(influence^2) / (n * (n - 1))), options = list(level = level, variance = "linearised"),
        n_items = nrow(ratings), n_raters = ncol(ratings), n_pairable_items = n, n_pairable_ratings = total)
  }
}

for (name in c(wide_categorical, "made_ordered_words", "made_pair_missing")) {
  alpha_of(name, read_wide(name))
  alpha_by_hand(name)
}
for (name in c("shrout_fleiss_1979", "shrout_fleiss_three_missing", "made_scores_30x4_missing",
               "made_large_offset", "bland_altman_1986_pefr")) {
  ratings <- as.matrix(read_wide(name))
  if (name == "bland_altman_1986_pefr") ratings <- ratings[, c("large_1", "mini_1")]
  for (level in c("interval", "ratio", "ordinal")) {
    r <- irr::kripp.alpha(t(ratings), method = level)
    columns <- if (name == "bland_altman_1986_pefr") list(columns = c("large_1", "mini_1")) else list()
    add(name, "Krippendorff alpha", "irr", "kripp.alpha", options = c(list(level = level), columns),
        value = r$value, n_items = nrow(ratings), n_raters = ncol(ratings))
    r <- krippendorffsalpha::krippendorffs.alpha(unname(ratings), level = level, method = "customary",
                                                 confint = FALSE, verbose = FALSE)
    add(name, "Krippendorff alpha", "krippendorffsalpha", "krippendorffs.alpha",
        options = c(list(level = level, method = "customary"), columns), value = r$alpha.hat,
        n_items = nrow(ratings), n_raters = ncol(ratings))
  }
}
write_records("r_alpha.json")

# ---------------------------------------------------------------- Gwet and Brennan-Prediger

for (name in contingency) coefficients_from_table(name, read_contingency(name))

for (name in c(wide_categorical, "made_ordered_words", "made_pair_missing")) {
  ratings <- rated_items(read_wide(name))
  schemes <- if (index$scale[index$table == name] == "ordinal")
    c("unweighted", "linear", "quadratic", "ordinal") else "unweighted"
  functions <- list(`Gwet AC` = "gwet.ac1.raw", `Brennan-Prediger` = "bp.coeff.raw",
                    `percent agreement` = "pa.coeff.raw")
  for (statistic in names(functions)) for (scheme in schemes) {
    add_raw(name, statistic, functions[[statistic]], ratings, scheme, levels_of(name))
    # Categories left to the package: those that occur, numbers by value, text by alphabet.
    add_raw(name, statistic, functions[[statistic]], ratings, scheme)
  }
}
write_records("r_gwet.json")

# ---------------------------------------------------------------- ICC

psych_icc <- function(name, ratings, lmer, alpha, options = list()) {
  options <- c(list(lmer = lmer, alpha = alpha), options)
  r <- attempt(psych::ICC(ratings, lmer = lmer, alpha = alpha))
  if (failed(r)) return(add_error(name, "ICC", "psych", "ICC", r, options))
  forms <- c(ICC1 = "ICC(1,1)", ICC2 = "ICC(2,1)", ICC3 = "ICC(3,1)", ICC1k = "ICC(1,k)", ICC2k = "ICC(2,k)",
             ICC3k = "ICC(3,k)")
  for (i in seq_len(nrow(r$results))) {
    row <- r$results[i, ]
    add(name, forms[[row$type]], "psych", "ICC", options = options, value = row$ICC, f = row$F,
        df1 = row$df1, df2 = row$df2, p = row$p, lower = row$`lower bound`, upper = row$`upper bound`,
        level = 1 - alpha, n_items = r$n.obs, n_raters = r$n.judge)
  }
  if (alpha == 0.05) add(name, "F raters", "psych", "ICC", options = options, value = r$stats["F", "Judges"],
                         df1 = r$stats["df", "Judges"], df2 = r$stats["df", "Residual"], p = r$stats["p", "Judges"],
                         ms_items = r$stats["MS", "subjects"], ms_raters = r$stats["MS", "Judges"],
                         ms_error = r$stats["MS", "Residual"], ms_within = r$MSW,
                         n_items = r$n.obs, n_raters = r$n.judge)
}

irr_icc <- function(name, ratings) {
  forms <- list(`ICC(1,1)` = c("oneway", "agreement", "single"), `ICC(1,k)` = c("oneway", "agreement", "average"),
                `ICC(2,1)` = c("twoway", "agreement", "single"), `ICC(2,k)` = c("twoway", "agreement", "average"),
                `ICC(3,1)` = c("twoway", "consistency", "single"), `ICC(3,k)` = c("twoway", "consistency", "average"))
  for (form in names(forms)) for (r0 in c(0, 0.3)) for (level in c(0.95, 0.90)) {
    if (r0 > 0 && level < 0.95) next
    f <- forms[[form]]
    options <- list(model = f[1], type = f[2], unit = f[3], r0 = r0)
    r <- attempt(irr::icc(ratings, model = f[1], type = f[2], unit = f[3], r0 = r0, conf.level = level))
    if (failed(r)) { add_error(name, form, "irr", "icc", r, options); next }
    add(name, form, "irr", "icc", options = options, value = r$value, f = r$Fvalue, df1 = r$df1, df2 = r$df2,
        p = r$p.value, lower = r$lbound, upper = r$ubound, level = level, n_items = r$subjects, n_raters = r$raters)
  }
}

desc_icc <- function(name, ratings) {
  r <- attempt(DescTools::ICC(ratings, conf.level = 0.95))
  if (failed(r)) return(add_error(name, "ICC", "DescTools", "ICC", r))
  forms <- c(ICC1 = "ICC(1,1)", ICC2 = "ICC(2,1)", ICC3 = "ICC(3,1)", ICC1k = "ICC(1,k)", ICC2k = "ICC(2,k)",
             ICC3k = "ICC(3,k)")
  for (i in 1:6) {
    row <- r$results[i, ]
    add(name, forms[[row$type]], "DescTools", "ICC", value = row$est, f = row$`F-val`, df1 = row$df1, df2 = row$df2,
        p = row$`p-val`, lower = row$lwr.ci, upper = row$upr.ci, level = 0.95, n_items = r$ns, n_raters = r$nr)
  }
}

continuous <- index$table[index$layout == "wide" & index$scale == "continuous" &
                            !grepl("^bland_altman", index$table)]
score_tables <- setNames(lapply(continuous, read_wide), continuous)
data("anxiety", package = "irr")
score_tables$irr_anxiety <- anxiety
score_tables$krippendorff_2011 <- read_wide("krippendorff_2011")

for (name in names(score_tables)) {
  ratings <- score_tables[[name]]
  complete <- na.omit(ratings)
  listwise <- if (nrow(complete) < nrow(ratings)) list(missing = "listwise") else list()
  for (alpha in c(0.05, 0.10)) psych_icc(name, complete, FALSE, alpha, listwise)
  # an offset of 1e8 leaves lmer too few digits to give the same answer twice
  if (name != "made_large_offset") psych_icc(name, ratings, TRUE, 0.05)
  irr_icc(name, ratings)
  desc_icc(name, ratings)
}
write_records("r_icc.json")

# ---------------------------------------------------------------- variance components

# Two optimisers at tight tolerances. A criterion known to 1e-16 places its minimum to about 1e-8, and
# the last digits change from run to run: they must agree to 1e-6 and are written to six digits.
tight <- list(
  lmerControl(optimizer = "nloptwrap", calc.derivs = FALSE, check.conv.singular = "ignore",
              optCtrl = list(xtol_abs = 1e-14, xtol_rel = 1e-14, ftol_abs = 1e-16, ftol_rel = 1e-16, maxeval = 1e5)),
  lmerControl(optimizer = "bobyqa", calc.derivs = FALSE, check.conv.singular = "ignore",
              optCtrl = list(rhoend = 1e-13, maxfun = 1e5)))

components <- function(formula, long, REML) {
  fits <- lapply(tight, function(control) suppressMessages(suppressWarnings(
    lmer(formula, long, REML = REML, control = control))))
  take <- function(fit) {
    vc <- VarCorr(fit)
    c(sapply(vc, function(x) x[1, 1]), residual = sigma(fit)^2)
  }
  values <- lapply(fits, take)
  stopifnot(max(abs(values[[1]] - values[[2]])) < 1e-6 * sum(values[[1]]))
  v <- values[[1]]
  v[v < 1e-10 * sum(v)] <- 0
  list(v = v, fit = fits[[1]])
}

stack_long <- function(ratings) {
  long <- stack(as.data.frame(ratings))
  long$item <- factor(rep(seq_len(nrow(ratings)), ncol(ratings)))
  names(long) <- c("value", "rater", "item")
  long[!is.na(long$value), ]
}

for (name in setdiff(names(score_tables), c("made_always_5_higher", "made_constant", "made_two_subjects",
                                            "made_large_offset"))) {
  long <- stack_long(score_tables[[name]])
  for (method in c("REML", "ML")) {
    r <- attempt(components(value ~ 1 + (1 | item) + (1 | rater), long, method == "REML"))
    if (failed(r)) { add_error(name, "variance components", "lme4", "lmer", r); next }
    v <- r$v
    add(name, "variance components", "lme4", "lmer", options = list(model = "crossed items and raters", method = method),
        item = v[["item"]], rater = v[["rater"]], residual = v[["residual"]],
        icc_2_1 = v[["item"]] / sum(v), icc_3_1 = v[["item"]] / (v[["item"]] + v[["residual"]]),
        mean = fixef(r$fit)[[1]], mean_se = sqrt(vcov(r$fit)[1, 1]),
        minus_two_log_likelihood = -2 * as.numeric(logLik(r$fit)),
        n_items = nlevels(long$item), n_raters = nlevels(long$rater), n_ratings = nrow(long))
  }
  r <- attempt(components(value ~ rater + (1 | item), long, TRUE))
  if (!failed(r)) add(name, "variance components", "lme4", "lmer",
      options = list(model = "random items, fixed raters", method = "REML"), item = r$v[["item"]],
      residual = r$v[["residual"]], icc_3_1 = r$v[["item"]] / sum(r$v),
      minus_two_log_likelihood = -2 * as.numeric(logLik(r$fit)),
      n_items = nlevels(long$item), n_raters = nlevels(long$rater), n_ratings = nrow(long))
  r <- attempt(components(value ~ 1 + (1 | item), long, TRUE))
  if (!failed(r)) add(name, "variance components", "lme4", "lmer",
      options = list(model = "one-way", method = "REML"), item = r$v[["item"]], residual = r$v[["residual"]],
      icc_1_1 = r$v[["item"]] / sum(r$v), mean = fixef(r$fit)[[1]],
      minus_two_log_likelihood = -2 * as.numeric(logLik(r$fit)),
      n_items = nlevels(long$item), n_ratings = nrow(long))
}

groups <- read.csv("tables/made_oneway_unbalanced.csv")
groups$item <- factor(groups$item)
for (method in c("REML", "ML")) {
  r <- components(value ~ 1 + (1 | item), groups, method == "REML")
  add("made_oneway_unbalanced", "variance components", "lme4", "lmer",
      options = list(model = "one-way", method = method), item = r$v[["item"]], residual = r$v[["residual"]],
      icc_1_1 = r$v[["item"]] / sum(r$v), mean = fixef(r$fit)[[1]], mean_se = sqrt(vcov(r$fit)[1, 1]),
      minus_two_log_likelihood = -2 * as.numeric(logLik(r$fit)),
      n_items = nlevels(groups$item), n_ratings = nrow(groups))
}
table_oneway <- anova(lm(value ~ item, groups))
sizes <- as.vector(table(groups$item))
n0 <- (sum(sizes) - sum(sizes^2) / sum(sizes)) / (length(sizes) - 1)
ms <- table_oneway$`Mean Sq`
between <- (ms[1] - ms[2]) / n0
add("made_oneway_unbalanced", "variance components", "stats", "anova",
    options = list(model = "one-way", method = "ANOVA, n0 ratings per item"), item = between, residual = ms[2],
    icc_1_1 = between / (between + ms[2]), f = table_oneway$`F value`[1], df1 = table_oneway$Df[1],
    df2 = table_oneway$Df[2], p = table_oneway$`Pr(>F)`[1], n0 = n0, n_items = length(sizes), n_ratings = nrow(groups))
write_records("r_mixed_icc.json")

# ---------------------------------------------------------------- method comparison

# Exact interval for a limit of agreement: the estimate mean - z s of mu - z sigma has
# sqrt(n) (mean - mu + z sigma) / s noncentral t on n - 1 df with noncentrality z sqrt(n)
# (Carkeet 2015, Optom Vis Sci 92:e71-e80).
exact_limits <- function(mean, s, n, level = 0.95, coverage = 0.95) {
  z <- qnorm(1 - (1 - coverage) / 2)
  # qt warns that it may have lost digits; against quadrature it is right to 1e-10 here
  k <- suppressWarnings(qt(c((1 - level) / 2, 1 - (1 - level) / 2), n - 1, ncp = z * sqrt(n))) / sqrt(n)
  list(lower_limit = mean - rev(k) * s, upper_limit = mean + k * s)
}

method_comparison <- function(name, x, y, columns) {
  d <- x - y
  n <- length(d)
  options <- list(columns = columns)
  put <- function(.statistic, .package, .function, ..., more = list())
    add(name, .statistic, .package, .function, ..., n_items = n, options = c(options, more))
  mean_ci <- t.test(d)
  put("mean difference", "stats", "t.test", value = mean(d), sd = sd(d), lower = mean_ci$conf.int[1],
      upper = mean_ci$conf.int[2], level = 0.95, t = mean_ci$statistic[[1]], df = n - 1, p = mean_ci$p.value)
  for (level in c(0.95, 0.90)) {
    z <- qnorm(0.975)
    e <- exact_limits(mean(d), sd(d), n, level)
    put("lower limit of agreement", "stats", "qt with ncp", value = mean(d) - z * sd(d), lower = e$lower_limit[1],
        upper = e$lower_limit[2], level = level, more = list(interval = "exact, noncentral t", multiplier = z))
    put("upper limit of agreement", "stats", "qt with ncp", value = mean(d) + z * sd(d), lower = e$upper_limit[1],
        upper = e$upper_limit[2], level = level, more = list(interval = "exact, noncentral t", multiplier = z))
    # Bland and Altman 1999: variance of a limit (1/n + z^2 / (2 (n - 1))) s^2
    half <- qt(1 - (1 - level) / 2, n - 1) * sd(d) * sqrt(1 / n + z^2 / (2 * (n - 1)))
    for (side in c(-1, 1)) {
      limit <- mean(d) + side * z * sd(d)
      put(if (side < 0) "lower limit of agreement" else "upper limit of agreement", "stats", "arithmetic",
          value = limit, lower = limit - half, upper = limit + half, level = level,
          more = list(interval = "Bland and Altman 1999", multiplier = z))
    }
  }
  b <- BlandAltmanLeh::bland.altman.stats(x, y)
  ci <- b$CI.lines
  put("lower limit of agreement", "BlandAltmanLeh", "bland.altman.stats", value = b$lower.limit,
      lower = ci[["lower.limit.ci.lower"]], upper = ci[["lower.limit.ci.upper"]], level = 0.95,
      more = list(interval = "Bland and Altman 1986, sqrt(3 s^2 / n)", multiplier = 1.96))
  put("upper limit of agreement", "BlandAltmanLeh", "bland.altman.stats", value = b$upper.limit,
      lower = ci[["upper.limit.ci.lower"]], upper = ci[["upper.limit.ci.upper"]], level = 0.95,
      more = list(interval = "Bland and Altman 1986, sqrt(3 s^2 / n)", multiplier = 1.96))
  slope <- summary(lm(d ~ I((x + y) / 2)))$coefficients
  ci <- confint(lm(d ~ I((x + y) / 2)))
  put("slope of difference on mean", "stats", "lm", value = slope[2, 1], se = slope[2, 2], t = slope[2, 3],
      p = slope[2, 4], df = n - 2, lower = ci[2, 1], upper = ci[2, 2], level = 0.95, intercept = slope[1, 1])
  # of absolute residuals on size: does the spread grow with the size (Bland and Altman 1999)
  spread <- summary(lm(abs(resid(lm(d ~ I((x + y) / 2)))) ~ I((x + y) / 2)))$coefficients
  put("slope of absolute residual on mean", "stats", "lm", value = spread[2, 1], se = spread[2, 2], p = spread[2, 4])
  r <- cor.test(d, (x + y) / 2)
  put("correlation of difference and mean", "stats", "cor.test", value = r$estimate[[1]], lower = r$conf.int[1],
      upper = r$conf.int[2], level = 0.95, t = r$statistic[[1]], df = r$parameter[[1]], p = r$p.value)
  r <- cor.test(x, y)
  put("Pearson correlation", "stats", "cor.test", value = r$estimate[[1]], lower = r$conf.int[1],
      upper = r$conf.int[2], level = 0.95, t = r$statistic[[1]], df = r$parameter[[1]], p = r$p.value)
  r <- suppressWarnings(cor.test(x, y, method = "spearman", exact = FALSE))
  put("Spearman correlation", "stats", "cor.test", value = r$estimate[[1]], p = r$p.value)
  r <- suppressWarnings(cor.test(x, y, method = "kendall", exact = FALSE))
  put("Kendall tau b", "stats", "cor.test", value = r$estimate[[1]], p = r$p.value)
  for (interval in c("z-transform", "asymptotic")) for (level in c(0.95, 0.90)) {
    r <- DescTools::CCC(x, y, ci = interval, conf.level = level)
    put("Lin CCC", "DescTools", "CCC", value = r$rho.c$est, lower = r$rho.c$lwr.ci, upper = r$rho.c$upr.ci,
        level = level, scale_shift = r$s.shift, location_shift = r$l.shift, accuracy = r$C.b,
        more = list(interval = interval))
    r <- epiR::epi.ccc(x, y, ci = interval, conf.level = level)
    put("Lin CCC", "epiR", "epi.ccc", value = r$rho.c$est, lower = r$rho.c$lower, upper = r$rho.c$upper,
        level = level, scale_shift = r$s.shift, location_shift = r$l.shift, accuracy = r$C.b,
        more = list(interval = interval))
  }
  put("Lin CCC", "stats", "arithmetic", value = 2 * cov(x, y) / (var(x) + var(y) + (mean(x) - mean(y))^2),
      more = list(divisor = "n - 1"))
}

pefr <- read_wide("bland_altman_1986_pefr")
plasma <- read_wide("bland_altman_1999_plasma")
pressure <- read_wide("bland_altman_1999_pressure")
five <- read_wide("made_always_5_higher")
pair <- read_wide("made_two_raters")
method_comparison("bland_altman_1986_pefr", pefr$large_1, pefr$mini_1, c("large_1", "mini_1"))
method_comparison("bland_altman_1999_plasma", plasma$nadler, plasma$hurley, c("nadler", "hurley"))
method_comparison("bland_altman_1999_pressure", pressure$j_1, pressure$s_1, c("j_1", "s_1"))
method_comparison("made_two_raters", pair$r1, pair$r2, c("r1", "r2"))
# The constant difference: a t test has nothing to divide by, so only what is defined.
for (level in c(0.95, 0.90)) {
  r <- DescTools::CCC(five$r1, five$r2, conf.level = level)
  add("made_always_5_higher", "Lin CCC", "DescTools", "CCC", options = list(interval = "z-transform"),
      value = r$rho.c$est, lower = r$rho.c$lwr.ci, upper = r$rho.c$upr.ci, level = level)
}
add("made_always_5_higher", "Spearman correlation", "stats", "cor", value = cor(five$r1, five$r2, method = "spearman"))

# Ratios of plasma volume: limits on the log scale, taken back (Bland and Altman 1999).
log_difference <- log(plasma$nadler) - log(plasma$hurley)
e <- exact_limits(mean(log_difference), sd(log_difference), nrow(plasma))
for (side in c("lower", "upper")) {
  ci <- if (side == "lower") e$lower_limit else e$upper_limit
  add("bland_altman_1999_plasma", paste(side, "limit of agreement, ratio"), "stats", "qt with ncp",
      options = list(columns = c("nadler", "hurley"), interval = "exact, noncentral t", scale = "log, back-transformed"),
      value = exp(mean(log_difference) + (if (side == "lower") -1 else 1) * qnorm(0.975) * sd(log_difference)),
      lower = exp(ci[1]), upper = exp(ci[2]), level = 0.95, n_items = nrow(plasma))
}

# Repeatability of one method: within-subject standard deviation from a one-way analysis of variance.
within_sd <- function(m) {
  long <- stack(as.data.frame(m))
  long$item <- factor(rep(seq_len(nrow(m)), ncol(m)))
  a <- anova(lm(values ~ item, long))
  list(sd = sqrt(a$`Mean Sq`[2]), df = a$Df[2])
}
replicated <- list(list("bland_altman_1986_pefr", pefr[, c("large_1", "large_2")]),
                   list("bland_altman_1986_pefr", pefr[, c("mini_1", "mini_2")]),
                   list("bland_altman_1999_pressure", pressure[, c("j_1", "j_2", "j_3")]),
                   list("bland_altman_1999_pressure", pressure[, c("r_1", "r_2", "r_3")]),
                   list("bland_altman_1999_pressure", pressure[, c("s_1", "s_2", "s_3")]))
for (one in replicated) {
  w <- within_sd(one[[2]])
  add(one[[1]], "within-item standard deviation", "stats", "anova", options = list(columns = names(one[[2]])),
      value = w$sd, df = w$df, repeatability_coefficient = qnorm(0.975) * sqrt(2) * w$sd, n_items = nrow(one[[2]]))
}

# Replicates per method while the true value stays (Bland and Altman 1999, section 5.2).
repeated_limits <- function(name, first, second) {
  m1 <- ncol(first)
  m2 <- ncol(second)
  d <- rowMeans(first) - rowMeans(second)
  s1 <- within_sd(first)$sd^2
  s2 <- within_sd(second)$sd^2
  total <- var(d) + (1 - 1 / m1) * s1 + (1 - 1 / m2) * s2
  add(name, "limits of agreement, replicates", "stats", "arithmetic",
      options = list(first = names(first), second = names(second), multiplier = 1.96), mean_difference = mean(d),
      variance_of_mean_differences = var(d), within_first = s1, within_second = s2, sd = sqrt(total),
      lower_limit = mean(d) - 1.96 * sqrt(total), upper_limit = mean(d) + 1.96 * sqrt(total), n_items = nrow(first))
  long <- data.frame(id = rep(seq_len(nrow(first)), m1), x = unlist(first), y = unlist(second))
  r <- attempt(SimplyAgree::agree_reps(x = "x", y = "y", id = "id", data = long, delta = 1))
  if (failed(r)) return(add_error(name, "limits of agreement, replicates", "SimplyAgree", "agree_reps", r))
  loa <- r$loa
  add(name, "limits of agreement, replicates", "SimplyAgree", "agree_reps",
      options = list(first = names(first), second = names(second)), mean_difference = loa$estimate[1],
      mean_lower = loa$lower.ci[1], mean_upper = loa$upper.ci[1], lower_limit = loa$estimate[2],
      lower_limit_lower = loa$lower.ci[2], lower_limit_upper = loa$upper.ci[2], upper_limit = loa$estimate[3],
      upper_limit_lower = loa$lower.ci[3], upper_limit_upper = loa$upper.ci[3],
      mean_level = loa$ci.level[1], level = loa$ci.level[2], n_items = nrow(first))
}
repeated_limits("bland_altman_1999_pressure", pressure[, c("j_1", "j_2", "j_3")], pressure[, c("s_1", "s_2", "s_3")])
repeated_limits("bland_altman_1986_pefr", pefr[, c("large_1", "large_2")], pefr[, c("mini_1", "mini_2")])

# Exact limits alone, for sizes where the noncentral t is hard.
for (n in c(2, 3, 5, 10, 20, 50, 100, 300)) for (level in c(0.90, 0.95)) {
  e <- exact_limits(0, 1, n, level)
  add("standard", "upper limit of agreement", "stats", "qt with ncp", value = qnorm(0.975), lower = e$upper_limit[1],
      upper = e$upper_limit[2], level = level, n_items = n,
      options = list(interval = "exact, noncentral t", mean = 0, sd = 1))
}
write_records("r_method_comparison.json")

versions <- c("irr", "irrCAC", "DescTools", "psych", "vcd", "epiR", "krippendorffsalpha", "lme4", "Matrix",
              "BlandAltmanLeh", "SimplyAgree", "jsonlite")
cat(R.version.string, "\n", paste0(versions, " ", vapply(versions, function(p)
  as.character(packageVersion(p)), ""), collapse = "\n "), "\n", sep = "")
