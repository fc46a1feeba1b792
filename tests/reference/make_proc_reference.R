# Writes proc_asah.csv and proc_auroc.json: what the R package pROC says about ROC curves.
#
#   Rscript make_proc_reference.R        (pROC and jsonlite from CRAN)
#
# The aSAH measurements are those of Turck et al. (2010), Intensive Care Medicine 36:107-115, as
# distributed with pROC (Robin et al. 2011, BMC Bioinformatics 12:77). The made tables are written
# out here in full.
suppressMessages(library(pROC))
library(jsonlite)

data(aSAH)
asah <- data.frame(
  poor = as.integer(aSAH$outcome == "Poor"), s100b = aSAH$s100b, ndka = aSAH$ndka,
  wfns = as.integer(as.character(aSAH$wfns))
)
write.csv(asah, "proc_asah.csv", row.names = FALSE, quote = FALSE)

# Ties within and between the classes; low scores speak for the condition in b.
made <- data.frame(
  poor = c(1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0),
  a = c(9, 8, 8, 5, 5, 2, 8, 6, 5, 5, 3, 2, 1, 1),
  b = c(1, 2, 4, 4, 7, 9, 2, 4, 5, 6, 6, 7, 8, 9)
)

curve <- function(table, column, direction) {
  roc(table$poor, table[[column]], levels = c(0, 1), direction = direction, quiet = TRUE)
}

partial <- function(curve, focus, range) {
  one <- function(correct) {
    as.numeric(auc(curve, partial.auc = range, partial.auc.focus = focus,
                   partial.auc.correct = correct))
  }
  list(axis = focus, low = range[1], high = range[2], raw = one(FALSE), standardised = one(TRUE))
}

single <- function(name, table, column, direction) {
  r <- curve(table, column, direction)
  bounds <- as.numeric(ci.auc(r, method = "delong"))
  points <- coords(r, r$thresholds[is.finite(r$thresholds)],
                   ret = c("threshold", "sensitivity", "specificity"), transpose = FALSE)
  ranges <- list(c(0.9, 1), c(0.5, 0.75), c(0, 1))
  list(
    table = name, score = column, higher_is_positive = direction == "<",
    auroc = as.numeric(auc(r)), variance = as.numeric(var(r, method = "delong")),
    lower = bounds[1], upper = bounds[3], level = 0.95,
    partial = c(lapply(ranges, function(x) partial(r, "specificity", x)),
                lapply(ranges, function(x) partial(r, "sensitivity", x))),
    points = points
  )
}

pair <- function(name, table, first, second, directions) {
  r1 <- curve(table, first, directions[1])
  r2 <- curve(table, second, directions[2])
  test <- roc.test(r1, r2, method = "delong", paired = TRUE)
  list(
    table = name, first = first, second = second,
    covariance = as.numeric(cov(r1, r2, method = "delong")),
    z = as.numeric(test$statistic), p = as.numeric(test$p.value)
  )
}

result <- list(
  versions = list(R = as.character(getRversion()), pROC = as.character(packageVersion("pROC"))),
  made = made,
  single = list(
    single("asah", asah, "s100b", "<"), single("asah", asah, "ndka", "<"),
    single("asah", asah, "wfns", "<"), single("made", made, "a", "<"),
    single("made", made, "b", ">")
  ),
  pair = list(
    pair("asah", asah, "s100b", "wfns", c("<", "<")),
    pair("asah", asah, "s100b", "ndka", c("<", "<")),
    pair("asah", asah, "wfns", "ndka", c("<", "<"))
  )
)
write(toJSON(result, digits = 15, auto_unbox = TRUE, pretty = TRUE, dataframe = "columns"),
      "proc_auroc.json")
