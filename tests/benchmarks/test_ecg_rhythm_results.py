"""Results of the chapter: against scikit-learn and statsmodels, published tables, awkward data."""

from __future__ import annotations

import math

import numpy as np
import pytest
from ecg_rhythm_examples import frames, parameters, study, write
from numpy.testing import assert_allclose
from sklearn.metrics import average_precision_score, cohen_kappa_score, f1_score, roc_auc_score

from benchbook.benchmarks import ecg_rhythm as er
from benchbook.benchmarks.ecg_rhythm import (
    calibration,
    people,
    performance,
    published,
    reading_agreement,
    theory,
)
from benchbook.benchmarks.ecg_rhythm.exhibits import corners
from benchbook.benchmarks.ecg_rhythm.matched import mean_of_defined
from benchbook.display import Drawing, Table
from benchbook.metrics import proportion

SAME = 1e-12  # two computations of one number
SETTINGS = {"n_resamples": 100, "level": 0.95, "seed": 3}


@pytest.fixture(scope="module")
def simulated():
    return study(seed=7)


@pytest.fixture(scope="module")
def ranked(simulated):
    return performance.evaluate(simulated, **SETTINGS)


# ---- ranking ------------------------------------------------------------------------------------


def test_auroc_and_auprc_are_those_of_scikit_learn(simulated, ranked):
    assert len(ranked.table) == 2 * len(simulated.mapped)
    for row in ranked.table.to_dict("records"):
        used = simulated.compared(row["label"])
        truth = simulated.positive(row["label"])[used]
        score = simulated.scores[row["model"], row["label"]][used]
        by_sklearn = roc_auc_score if row["metric"] == "AUROC" else average_precision_score
        assert_allclose(row["value"], by_sklearn(truth, score), rtol=0, atol=SAME)
        assert row["low"] <= row["high"]
        assert row["n_positive"] == truth.sum()
        assert row["mark"] == simulated.mark(row["model"], row["label"])


def test_macro_is_the_mean_over_labels_on_shared_resamples(simulated, ranked):
    macro = ranked.macro.set_index(["model", "metric", "over"])
    labels = [label for label in simulated.labels if "model C" in simulated.models_on(label)]
    drawn = [ranked.drawn[label, "model C", "AUROC"] for label in labels]
    row = macro.loc[("model C", "AUROC", "own labels")]
    assert row["n_labels"] == len(labels) == 5
    assert_allclose(row["value"], np.mean([one.point for one in drawn]), rtol=0, atol=SAME)
    means = np.mean([one.replicates for one in drawn], axis=0)
    assert_allclose([row["low"], row["high"]], np.quantile(means, [0.025, 0.975]), atol=SAME)
    common = performance.shared_labels(simulated)
    assert common == ["AF", "SB", "ST"]
    shared = macro.loc[("model A", "AUROC", "labels of all models")]
    assert shared["n_labels"] == 3
    assert ("model E", "AUROC", "labels of all models") in macro.index


def test_a_label_without_a_drawn_positive_is_left_out_of_the_macro_of_that_resample():
    values = np.array([[0.9, np.nan, 0.7], [0.5, 0.6, np.nan], [np.nan, np.nan, np.nan]])
    found = mean_of_defined(values, axis=1)
    assert_allclose(found[:2], [0.8, 0.55], rtol=0, atol=SAME)
    assert math.isnan(found[2])


def test_ranks_are_per_label_and_hold_the_rank(ranked):
    for _, part in ranked.ranks.groupby("label"):
        # Models that tie share the mean of their ranks.
        assert part["rank"].sum() == len(part) * (len(part) + 1) / 2
        assert ((part["low"] <= part["rank"]) & (part["rank"] <= part["high"])).all()
        assert part["high"].max() <= len(part)
    without = performance.rank_table(study(seed=7), ranked.drawn, 0.95, approximate=False)
    assert not without["mark"].str.contains("†").any()
    assert ranked.ranks["mark"].str.contains("†").any()


def test_undefined_labels_say_why_and_spoil_nothing():
    tables = frames()
    labels = tables["labels"]
    nobody = labels.assign(present=labels["present"].where(labels["label"] != "RBBB", 0.0))
    everybody = labels.assign(present=labels["present"].where(labels["label"] != "RBBB", 1.0))
    for changed, reason in ((nobody, "no positives"), (everybody, "no negatives")):
        made = study(tables | {"labels": changed})
        found = performance.evaluate(made, **SETTINGS)
        row = found.table[(found.table["label"] == "RBBB") & (found.table["metric"] == "AUROC")]
        assert row["value"].isna().all()
        assert reason in row["reason"].iloc[0]
        macro = found.macro[(found.macro["model"] == "one") & (found.macro["metric"] == "AUROC")]
        assert macro["n_labels"].tolist()[0] == 1
        ranks = found.ranks[found.ranks["label"] == "RBBB"]
        assert ranks["rank"].isna().all()
        beside = people.beside_people(made, match="at_least", **SETTINGS).table
        assert beside.loc[beside["label"] == "RBBB", "value"].isna().all()
        assert beside.loc[beside["label"] == "RBBB", "reason"].notna().all()
        measures = calibration.measures(made, **SETTINGS)
        slope = measures[(measures["label"] == "RBBB") & (measures["metric"] == "slope")]
        assert slope["value"].isna().all()
        assert slope["reason"].notna().all()


# ---- people -------------------------------------------------------------------------------------


def test_readers_are_those_of_scikit_learn_and_means_are_plain_means(simulated):
    found = people.readers(simulated, **SETTINGS)
    table = found.table.set_index(["label", "reader", "metric"])["value"]
    for label in simulated.labels:
        truth = simulated.positive(label)
        for at, reader in enumerate(simulated.readers["reader"]):
            said = simulated.reads[:, simulated.column(label), at]
            read = ~np.isnan(said)
            f1 = f1_score(truth[read], said[read])
            assert_allclose(table[label, reader, "F1"], f1, rtol=0, atol=SAME)
    for row in found.means.to_dict("records"):
        places = simulated.readers_of(row["group"])
        names = simulated.readers["reader"].iloc[places]
        each = [table[row["label"], name, row["metric"]] for name in names]
        assert_allclose(row["value"], np.mean(each), rtol=0, atol=SAME)
        assert row["n_with_value"] == row["n_readers"] == 3
    assert "committee member" not in set(
        simulated.readers["reader"].iloc[np.r_[simulated.readers_of("cardiologists")]]
    )


def test_intervals_of_shares_are_wilsons_where_every_patient_has_one_record():
    tables = frames()
    scores = tables["scores"]
    single = study(tables | {"scores": scores.assign(patient_id=scores["record_id"])})
    assert not single.clustered
    table = people.readers(single, **SETTINGS).table
    for row in table[table["metric"] == "specificity"].to_dict("records"):
        made = proportion(row["tn"], row["tn"] + row["fp"])
        assert (row["value"], row["low"], row["high"]) == (made.value, made.low, made.high)
    clustered = people.readers(study(tables), **SETTINGS).table
    assert set(clustered["method"]) == {"percentile bootstrap"}


def test_beside_people_reads_the_model_where_it_meets_the_mean(simulated):
    found = people.beside_people(simulated, match="at_least", **SETTINGS).table
    assert "threshold" not in found  # the score of a record
    for row in found.head(8).to_dict("records"):
        used = simulated.compared(row["label"])
        truth = simulated.positive(row["label"])
        score = simulated.scores[row["model"], row["label"]]
        reads = simulated.reads[:, simulated.column(row["label"])]
        reads = reads[:, simulated.readers_of(row["group"])]
        used = used & ~np.isnan(reads).all(axis=1)
        target = np.nanmean(np.where(truth[:, None], reads, np.nan)[used], axis=0).mean()
        assert_allclose(row["readers_sensitivity"], target, rtol=0, atol=SAME)
        yes, no = score[used & truth], score[used & ~truth]
        thresholds = [t for t in np.unique(score[used]) if (yes >= t).mean() >= target]
        specificity = (no < max(thresholds)).mean()
        assert_allclose(row["model_specificity"], specificity, rtol=0, atol=SAME)
        assert_allclose(row["value"], specificity - row["readers_specificity"], rtol=0, atol=SAME)


def test_a_reader_who_reads_nothing_of_a_label_has_no_value_and_leaves_the_mean():
    tables = frames()
    readers = tables["readers"]
    skipped = (readers["reader"] == "ann") & (readers["label"] == "AF")
    made = study(tables | {"readers": readers.assign(present=readers["present"].mask(skipped))})
    found = people.readers(made, **SETTINGS)
    ann = found.table[(found.table["reader"] == "ann") & (found.table["label"] == "AF")]
    assert ann["value"].isna().all()
    assert ann["reason"].notna().all()
    means = found.means[found.means["label"] == "AF"].set_index("metric")
    assert (means["n_with_value"] == 1).all()
    ben = found.table[(found.table["reader"] == "ben") & (found.table["label"] == "AF")]
    assert_allclose(means.loc["F1", "value"], ben.set_index("metric").loc["F1", "value"])


# ---- agreement and calibration ------------------------------------------------------------------


def test_agreement_is_that_of_the_first_chapter(simulated):
    pairs = reading_agreement.pairs(simulated, 0.95)
    names = list(simulated.readers["reader"])
    for row in pairs.head(20).to_dict("records"):
        reads = simulated.reads[:, simulated.column(row["label"])]
        both = reads[:, [names.index(row["rater_a"]), names.index(row["rater_b"])]]
        both = both[~np.isnan(both).any(axis=1)]
        assert row["n"] == len(both)
        assert_allclose(row["kappa"], cohen_kappa_score(*both.T), rtol=0, atol=SAME)
    among = reading_agreement.among_people(simulated, **SETTINGS)
    assert set(among["readers"]) == {"all readers", "cardiologists", "residents"}
    assert (among.loc[among["readers"] == "all readers", "n_readers"] == 6).all()


def test_readers_who_never_say_present_have_no_kappa_and_are_told():
    tables = frames()
    readers = tables["readers"]
    silent = readers.assign(present=readers["present"].where(readers["label"] != "RBBB", 0.0))
    made = study(tables | {"readers": silent})
    among = reading_agreement.among_people(made, **SETTINGS)
    fleiss = among[(among["label"] == "RBBB") & (among["coefficient"] == "Fleiss κ")].iloc[0]
    assert math.isnan(fleiss["value"])
    assert fleiss["reason"]
    agreed = among[(among["label"] == "RBBB") & (among["coefficient"] == "percent agreement")]
    assert agreed["value"].iloc[0] == 1.0


def test_calibration_is_undefined_for_scores_that_are_no_probabilities():
    tables = frames()
    scores = tables["scores"]
    logits = scores.assign(score=np.log(scores["score"] / (1 - scores["score"])))
    table = calibration.measures(study(tables | {"scores": logits}), **SETTINGS)
    assert table["value"].isna().all()
    assert set(table["reason"]) == {calibration.NO_PROBABILITY}
    fine = calibration.measures(study(tables), **SETTINGS)
    brier = fine[(fine["metric"] == "Brier score") & (fine["model"] == "one")]
    made = study(tables)
    truth, score = made.positive("AF"), made.scores["one", "AF"]
    assert_allclose(brier["value"].iloc[0], np.mean((score - truth) ** 2), rtol=0, atol=SAME)


def test_no_bin_of_few_records_is_drawn(simulated):
    points, counts = calibration.curves(simulated, list(simulated.labels), 0.95)
    assert (points["n"] >= calibration.FEWEST).all()
    per_model = counts.groupby(["label", "model"])["count"].sum()
    assert (per_model == simulated.records.size).all()


def test_corners_keep_the_curve():
    rate = np.array([0, 0, 0, 0.1, 0.2, 0.2, 0.5, 1])
    sensitivity = np.array([0, 0.2, 0.4, 0.4, 0.4, 0.8, 1, 1])
    kept = corners(rate, sensitivity)
    grid = np.linspace(0.01, 1, 50)
    assert_allclose(np.interp(grid, *kept), np.interp(grid, rate, sensitivity), atol=SAME)
    assert len(kept[0]) == 6


# ---- published facts ----------------------------------------------------------------------------


def test_every_published_score_follows_from_the_published_counts():
    table = published.from_counts(0.95)
    assert len(table) == 96
    assert table["agrees"].all()
    f1 = table[(table["metric"] == "F1") & (table["reader"] == "network")]
    printed = dict(zip(f1["label"], f1["published"], strict=True))
    assert printed == {
        "1dAVb": 0.897, "RBBB": 0.944, "LBBB": 1.0, "SB": 0.882, "AF": 0.870, "ST": 0.960,
    }  # fmt: skip


def test_a_wrong_digit_does_not_agree():
    assert published.agrees(0.897, 26 / 29)
    assert not published.agrees(0.898, 26 / 29)
    assert not published.agrees(0.896, 26 / 29)
    assert not published.agrees(0.5, math.nan)


# ---- surprises ----------------------------------------------------------------------------------


def test_what_the_surprises_say_is_so():
    assert "0.167" in theory._backwards()[1]
    crossing = theory._crossing()[1]
    assert crossing.startswith("AUROC 0.850 against 0.700")
    assert "specificity at the readers' sensitivity 0.850 against 1.000" in crossing
    averaged = theory._averaged()[1]
    assert "each reader 0.000 and 0.000" in averaged
    assert float(averaged.rsplit(" ", 1)[1]) > 0.05
    assert theory._uncertain_rank(0.95, 500, 1)[1] == "rank 1 with the interval 1 to 4"
    table = theory.surprises(0.95, 500, 1)
    assert len(table.frame) == 6


# ---- the simulation -----------------------------------------------------------------------------


def test_the_simulation_has_all_that_the_format_allows(simulated):
    mapped = simulated.mapped
    assert mapped["mark"].str.contains("†").any()
    assert mapped["mark"].str.contains(r"\*").any()
    assert (mapped["outputs"] > 1).any()
    assert simulated.windows["most"].max() == 3
    assert len(mapped) < len(simulated.models) * len(simulated.labels)
    assert simulated.clustered
    assert np.isnan(simulated.reads).any()
    assert simulated.groups == ("cardiologists", "residents")
    means = people.readers(simulated, **SETTINGS).means
    sp = means[means["metric"] == "specificity"].set_index(["label", "group"])["value"]
    for label in simulated.labels:
        assert sp[label, "cardiologists"] > sp[label, "residents"]


def test_seeds_make_other_studies_and_the_same_seed_the_same():
    first, again, other = study(seed=1), study(seed=1), study(seed=2)
    np.testing.assert_array_equal(first.scores["model A", "AF"], again.scores["model A", "AF"])
    assert first.records.size != other.records.size or not np.array_equal(first.truth, other.truth)


# ---- exhibits on awkward data -------------------------------------------------------------------


def exhibits_of(chapter: er.Chapter, conditions: set[str]):
    """Yield what a run shows under the tags of the notebook."""
    needs = {
        "scores": ("table_mapping", "say_performance", "table_performance", "table_macro",
                   "say_calibration", "table_calibration"),
        "ranks": ("say_ranks", "figure_ranks"),
        "beside": ("say_beside", "figure_differences", "table_beside"),
        "readers": ("table_people", "say_readers", "table_readers"),
        "groups": ("table_means",),
        "several": ("say_agreement", "table_agreement"),
        "pairs": ("figure_agreement", "table_pairs"),
        "probabilities": ("figure_reliability",),
    }  # fmt: skip
    always = ("say_data_statement", "table_data", "table_labels", "figure_roc", "table_sensitivity",
              "say_published", "table_published", "table_aggregates", "surprises")  # fmt: skip
    names = [*always, *(name for key in conditions & set(needs) for name in needs[key])]
    for name in names:
        yield name, getattr(chapter, name)()


def shown(tables, tmp_path, **values):
    folder = write(tmp_path / "own", tables)
    made = parameters(data=str(folder), **values)
    conditions = er.conditions(made)
    return conditions, dict(exhibits_of(er.Chapter(made), conditions))


def with_patients(tables):
    labels = tables["labels"]
    return tables | {"labels": labels.assign(patient_id=labels["record_id"])}


def no_readers(tables):
    return {name: frame for name, frame in tables.items() if name != "readers"}


def no_scores(tables):
    kept = with_patients(tables)
    return {name: kept[name] for name in ("labels", "readers")}


def nobody_positive(tables):
    return tables | {"labels": tables["labels"].assign(present=0.0)}


def one_reader(tables):
    readers = tables["readers"]
    return tables | {"readers": readers[readers["reader"] == "ann"]}


def machines_only(tables):
    return tables | {"readers": tables["readers"].assign(kind="network")}


def only_machines_and_no_scores(tables):
    return no_scores(machines_only(tables))


def nobody_positive_and_no_scores(tables):
    return no_scores(nobody_positive(tables))


def one_model(tables):
    mapping = tables["mapping"]
    return tables | {"mapping": mapping[mapping["model"] == "one"]}


def logits(tables):
    scores = tables["scores"]
    return tables | {"scores": scores.assign(score=scores["score"] * 9 - 4)}


def nasty_names(tables):
    """Names that would mean something to Markdown, HTML or matplotlib."""
    names = {"AF": "<b>A|F</b> $x$", "RBBB": "[R](u) *B*"}
    out = dict(tables)
    for name in ("labels", "readers", "mapping"):
        out[name] = tables[name].assign(label=tables[name]["label"].map(names))
    return out


AWKWARD = [
    frames, no_readers, no_scores, nobody_positive, one_reader, machines_only, one_model, logits,
    nasty_names, only_machines_and_no_scores, nobody_positive_and_no_scores,
]  # fmt: skip


@pytest.mark.parametrize("spoil", AWKWARD, ids=lambda spoil: spoil.__name__)
def test_every_exhibit_holds_on_awkward_data(spoil, tmp_path):
    tables = frames() if spoil is frames else spoil(frames())
    conditions, made = shown(tables, tmp_path)
    assert ("scores" in conditions) == ("scores" in tables)
    for name, exhibit in made.items():
        if name.startswith(("table_", "surprises")):
            assert isinstance(exhibit, Table), name
            assert exhibit.caption
            assert len(exhibit.frame), name
        elif name.startswith("figure_"):
            assert isinstance(exhibit, Drawing), name
            assert exhibit.alt
        else:
            assert isinstance(exhibit, str), name


def test_names_from_files_mean_nothing_on_the_page(tmp_path):
    _, made = shown(nasty_names(frames()), tmp_path)
    for name, exhibit in made.items():
        text = exhibit if isinstance(exhibit, str) else exhibit.caption
        assert "<b>" not in text.replace("\\<b\\>", ""), name
        assert "[R](u)" not in text, name


def test_conditions_follow_the_data(tmp_path):
    assert shown(no_readers(frames()), tmp_path)[0] == {"scores", "ranks", "probabilities"}
    assert "beside" not in shown(machines_only(frames()), tmp_path)[0]
    found = er.conditions(parameters())
    assert {"simulated", "scores", "readers", "beside", "ranks", "several"} <= found
    assert not found & {"code", "ptbxl"}


def test_front_matter_of_own_files_says_real(tmp_path):
    own = parameters(data=str(write(tmp_path / "own", frames())))
    assert er.front_matter(own)["benchbook"]["data-statement"] == "real"
    assert er.front_matter(parameters()) == {}


def test_the_record_of_a_run_holds_numbers_and_no_record(simulated):
    chapter = er.Chapter(parameters(n_resamples=100))
    numbers = chapter.numbers()
    assert numbers["mapping"] == chapter.study.mapping_hash
    assert set(numbers["AUROC"]) == {
        f"{row.label}, {row.model}" for row in chapter.study.mapped.itertuples()
    }
    assert "SIM-" not in repr(numbers)
