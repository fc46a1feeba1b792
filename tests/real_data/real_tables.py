# ruff: noqa: E501 -- a table with one line per file is easier to read than wrapped entries
"""How each real table is read, and what must come out.

Numbers are items, raters (or slots), missing cells and items dropped because nobody rated them;
`test_read_all` derives them, and every cell, a second time with pandas.
"""

from __future__ import annotations

from typing import Any, NamedTuple


class Entry(NamedTuple):
    file: str
    kind: str
    options: dict[str, Any]
    numbers: tuple[int, int, int, int]
    n_clusters: int | None = None


INTER, FROM_R = "interrater-tables/", "rater-tables-r/"
FIVE = [1, 2, 3, 4, 5]
SIX = [1, 2, 3, 4, 5, 6]
HTT = {"item": "caseID", "rater": "readerID", "cluster": "WSI"}
DENSITY = {**HTT, "rating": "densityTILs"}
READERS = {"item": "case", "rater": "reader", "rating": "rating", "categories": FIVE}
BOTH_TREATMENTS = {**READERS, "item": ["treatment", "case"], "cluster": "case"}
METHODS = {"item": "item", "rater": "meth", "rating": "y"}
REPLICATES = {**METHODS, "item": ["item", "repl"], "cluster": "item"}
SUBJECT = {"item": "subject"}
NO_HEADER = {"header": False}
GRADES = ["1st grade", "2nd grade", "3rd grade", "4th Grade"]
UTERINE = [
    "Negative",
    "Atypical Squamous Hyperplasia",
    "Carcinoma in Situ",
    "Squamous Carcinoma with Early Stromal Invasion",
    "Invasive Carcinoma",
]


def of_readers(name: str) -> list[str]:
    """Columns of the four radiologists of mLIRADS."""
    return [name, f"{name}2", f"{name}3", f"{name}4"]


ENTRIES = [
    Entry(INTER + "HTT/pilotHTT.csv", "continuous", {**DENSITY, "where": {"modalityID": "camic"}}, (594, 20, 7693, 46), 64),
    Entry(INTER + "HTT/pilotHTT.csv", "continuous", {**DENSITY, "where": {"modalityID": "camic-expert"}}, (67, 7, 108, 5), 31),
    Entry(INTER + "HTT/pilotHTT.csv", "continuous", {**DENSITY, "where": {"modalityID": "eedap"}}, (174, 7, 864, 26), 20),
    Entry(INTER + "HTT/pilotHTT.csv", "continuous", {**DENSITY, "where": {"modalityID": "pathp"}}, (556, 11, 4636, 84), 64),
    Entry(INTER + "HTT/pilotHTT.csv", "nominal", {**HTT, "rating": "VTA", "where": {"modalityID": "pathp"}}, (640, 11, 5127, 0), 64),
    Entry(INTER + "HTT/pilotHTT.csv", "nominal", {**HTT, "rating": "labelROI", "where": {"modalityID": ["camic", "camic-expert"]}}, (640, 27, 11735, 0), 64),
    Entry(INTER + "HTT/pilotHTT.csv", "continuous", {**DENSITY, "item": ["caseID", "modalityID"]}, (1391, 37, 45085, 161), 64),
    Entry(INTER + "HTT/pilotHTT_RST.csv", "continuous", {**DENSITY, "where": {"modalityID": "camic"}}, (594, 20, 7693, 46), 64),
    Entry(INTER + "HTT/pilotHTT_RST.csv", "nominal", {**HTT, "rating": "evaluable", "where": {"modalityID": "eedap"}}, (200, 7, 960, 0), 20),
    Entry(INTER + "MRMCaov/Franken.csv", "ordinal", {**READERS, "where": {"treatment": 1}}, (100, 4, 0, 0)),
    Entry(INTER + "MRMCaov/Franken.csv", "ordinal", BOTH_TREATMENTS, (200, 4, 0, 0), 100),
    Entry(INTER + "MRMCaov/Kundel.csv", "ordinal", {**READERS, "where": {"treatment_name": "Screen-film"}}, (95, 4, 0, 0)),
    Entry(INTER + "MRMCaov/Kundel.csv", "ordinal", {**BOTH_TREATMENTS, "raters": ["1", "2", "3"]}, (285, 3, 0, 0), 190),
    Entry(INTER + "MRMCaov/VanDyke.csv", "ordinal", {**READERS, "where": {"treatment": 2, "truth": [0]}}, (69, 5, 0, 0)),
    Entry(INTER + "MRMCaov/VanDyke.csv", "ordinal", BOTH_TREATMENTS, (228, 5, 0, 0), 114),
    Entry(INTER + "RJafroc/RocData.csv", "ordinal", BOTH_TREATMENTS, (228, 5, 0, 0), 114),
    Entry(INTER + "mLIRADS/lirads.1-5.csv", "ordinal", {"raters": of_readers("LIKERT"), "categories": FIVE, "item": "OBSERV"}, (104, 4, 0, 2)),
    Entry(INTER + "mLIRADS/lirads.1-5.csv", "ordinal", {"raters": of_readers("LIRADS_Category"), "categories": [1, 2, 3, 4, 5, 6, 7], "item": "OBSERV"}, (104, 4, 0, 2)),
    Entry(INTER + "mLIRADS/lirads.1-5.csv", "continuous", {"raters": of_readers("MAX_DM_LK"), "item": "OBSERV"}, (104, 4, 2, 2)),
    Entry(INTER + "mLIRADS/lirads.1-5.csv", "nominal", {"raters": of_readers("MASS"), "item": "OBSERV"}, (89, 4, 53, 17)),
    Entry(INTER + "mOm/prostate/control.csv", "ordinal", {**NO_HEADER, "categories": [0, 1, 2, 3, 4]}, (240, 20, 0, 0)),
    Entry(INTER + "mOm/prostate/treatment.csv", "ordinal", {**NO_HEADER, "categories": [0, 1, 2, 3, 4]}, (240, 20, 0, 0)),
    Entry(INTER + "mOm/nottingham/mitosis.csv", "ordinal", {**NO_HEADER, "categories": [1, 2, 3]}, (100, 9, 0, 0)),
    Entry(INTER + "mOm/nottingham/nottingham.csv", "ordinal", {**NO_HEADER, "categories": [1, 2, 3]}, (100, 9, 0, 0)),
    Entry(INTER + "mOm/nottingham/pleomorphism.csv", "ordinal", {**NO_HEADER, "categories": [1, 2, 3]}, (100, 9, 0, 0)),
    Entry(INTER + "mOm/nottingham/tubulus.csv", "ordinal", {**NO_HEADER, "categories": [1, 2, 3]}, (100, 9, 0, 0)),
    Entry(INTER + "mOm/pdl1/NCCN_22c3_t.csv", "nominal", NO_HEADER, (90, 13, 5, 0)),
    Entry(INTER + "mOm/pdl1/NCCN_sp142.csv", "nominal", NO_HEADER, (90, 13, 2, 0)),
    Entry(INTER + "mOm/pdl1/NCCN_sp142_t.csv", "nominal", NO_HEADER, (90, 13, 3, 0)),
    Entry(INTER + "mOm/pdl1/sp142_bin.csv", "nominal", NO_HEADER, (68, 18, 15, 0)),
    Entry(INTER + "mOm/pdl1/sp263_bin.csv", "nominal", NO_HEADER, (76, 18, 25, 0)),
    Entry(INTER + "ONEST/NCCN_22c3_t.csv", "nominal", {}, (90, 13, 5, 0)),
    Entry(INTER + "ONEST/NCCN_sp142.csv", "nominal", {}, (90, 13, 2, 0)),
    Entry(INTER + "ONEST/NCCN_sp142_t.csv", "nominal", {}, (90, 13, 3, 0)),
    Entry(INTER + "ONEST/sp142_bin.csv", "nominal", {}, (68, 18, 15, 0)),
    Entry(INTER + "ONEST/sp263_bin.csv", "nominal", {}, (76, 18, 25, 0)),
    Entry(INTER + "poLCA/carcinoma.csv", "nominal", {"categories": [1, 2]}, (118, 7, 0, 0)),
    Entry(INTER + "randomLCA/dentistry.csv", "nominal", {"frequency": "freq"}, (3869, 5, 0, 0)),
    Entry(INTER + "randomLCA/hivtests.csv", "nominal", {"frequency": "freq"}, (428, 4, 0, 0)),
    Entry(INTER + "randomLCA/myocardial.csv", "nominal", {"frequency": "freq"}, (94, 4, 0, 0)),
    Entry(INTER + "randomLCA/uterinecarcinoma.csv", "nominal", {"frequency": "freq"}, (118, 7, 0, 0)),
    Entry(INTER + "irr/anxiety.csv", "ordinal", {"categories": SIX}, (20, 3, 0, 0)),
    Entry(INTER + "irr/diagnoses.csv", "nominal", {}, (30, 6, 0, 0)),
    Entry(INTER + "irr/video.csv", "ordinal", {"categories": SIX}, (20, 4, 0, 0)),
    Entry(INTER + "irr/vision.csv", "ordinal", {"categories": GRADES}, (7477, 2, 0, 0)),
    Entry(INTER + "irrCAC/cac.ben.gerry.csv", "nominal", {"item": "Units", "raters": ["Ben", "Gerry"]}, (12, 2, 1, 0)),
    Entry(INTER + "irrCAC/cac.dist.g1g2.csv", "nominal", {"layout": "counts", "item": "Units", "cluster": "Group"}, (14, 4, 7, 0), 2),
    Entry(INTER + "irrCAC/cac.dist4cat.csv", "nominal", {"layout": "counts", "cluster": "Group"}, (15, 4, 0, 0), 2),
    Entry(INTER + "irrCAC/cac.raw.g1g2.csv", "nominal", {"item": "Units", "cluster": "Group"}, (14, 4, 7, 0), 2),
    Entry(INTER + "irrCAC/cac.raw.gender.csv", "nominal", {"cluster": "Group"}, (15, 4, 0, 0), 2),
    Entry(INTER + "irrCAC/cac.raw4raters.csv", "ordinal", {"item": "Units", "categories": FIVE}, (12, 4, 7, 0)),
    Entry(INTER + "irrCAC/cac.raw5obser.csv", "ordinal", {"item": "Unit", "categories": [0, 1, 2, 3]}, (15, 5, 17, 0)),
    Entry(INTER + "irrCAC/cont3x3abstractors.csv", "nominal", {"layout": "contingency"}, (100, 2, 0, 0)),
    Entry(INTER + "irrCAC/cont4x4diagnosis.csv", "nominal", {"layout": "contingency"}, (223, 2, 0, 0)),
    Entry(INTER + "irrCAC/distrib.6raters.csv", "nominal", {"layout": "counts", "item": "Subject"}, (15, 6, 0, 0)),
    Entry(INTER + "agRee/amygdala.csv", "continuous", {}, (11, 2, 0, 0)),
    Entry(INTER + "agRee/brainStem.csv", "continuous", {}, (10, 2, 0, 0)),
    Entry(INTER + "agRee/cerebellum.csv", "continuous", {}, (6, 2, 0, 0)),
    Entry(INTER + "agRee/judgeRatings.csv", "continuous", {}, (6, 4, 0, 0)),
    Entry(INTER + "agRee/lesionBurden.G.csv", "continuous", {}, (3, 10, 0, 0)),
    Entry(INTER + "agRee/lesionBurden.M.csv", "continuous", {}, (3, 10, 0, 0)),
    Entry(INTER + "MethComp/Ancona.csv", "continuous", {"item": ["item", "repl"], "cluster": "item", "rater": "rater", "rating": "score"}, (30, 17, 0, 0), 10),
    Entry(INTER + "MethComp/CardOutput.csv", "continuous", {"raters": ["TCO", "FCO"]}, (15, 2, 0, 0)),
    Entry(INTER + "MethComp/Enzyme.csv", "continuous", METHODS, (24, 3, 0, 0)),
    Entry(INTER + "MethComp/VitCap.csv", "continuous", METHODS, (72, 4, 0, 0)),
    Entry(INTER + "MethComp/milk.csv", "continuous", METHODS, (45, 2, 0, 0)),
    Entry(INTER + "MethComp/plvol.csv", "continuous", METHODS, (99, 2, 0, 0)),
    Entry(INTER + "MethComp/scint.csv", "continuous", METHODS, (111, 3, 111, 0)),
    Entry(INTER + "MethComp/PEFR.csv", "continuous", REPLICATES, (34, 2, 0, 0), 17),
    Entry(INTER + "MethComp/cardiac.csv", "continuous", REPLICATES, (60, 2, 0, 0), 12),
    Entry(INTER + "MethComp/ox.csv", "continuous", REPLICATES, (177, 2, 0, 0), 61),
    Entry(INTER + "MethComp/sbp.csv", "continuous", REPLICATES, (255, 3, 0, 0), 85),
    Entry(INTER + "MethComp/fat.csv", "continuous", {"item": ["Id", "Rep"], "cluster": "Id", "rater": "Obs", "rating": "Sub"}, (129, 2, 0, 0), 43),
    Entry(INTER + "MethComp/glucose.csv", "continuous", {**METHODS, "item": ["item", "time"], "cluster": "item"}, (294, 11, 1932, 0), 74),
    Entry(INTER + "MethComp/hba1c.csv", "continuous", {"item": ["item", "type", "d.samp", "d.ana"], "cluster": "item", "rater": "dev", "rating": "y"}, (304, 3, 77, 0), 38),
    Entry(INTER + "MethComp/rainman.csv", "continuous", {}, (30, 6, 0, 0)),
    Entry(INTER + "blandr/bland.altman.PEFR.1986.csv", "continuous", {"raters": ["WrightFirst", "MiniWrightFirst"]}, (17, 2, 0, 0)),
    Entry(INTER + "blandr/giavarina.2015.csv", "continuous", {"raters": ["Method.A", "Method.B"]}, (30, 2, 0, 0)),
    Entry(INTER + "SimplyAgree/ba1986.csv", "continuous", {"item": "id", "raters": ["wright1", "mini1"]}, (17, 2, 0, 0)),
    Entry(INTER + "SimplyAgree/recpre_long.csv", "continuous", {"item": "id_spec", "cluster": "id", "raters": ["AM", "PM"]}, (30, 2, 0, 0), 10),
    Entry(INTER + "SimplyAgree/reps.csv", "continuous", {"cluster": "id"}, (20, 2, 2, 0), 4),
    Entry(INTER + "SimplyAgree/temps.csv", "continuous", {"item": ["id", "trial_condition", "tod"], "cluster": "id", "raters": ["trec_pre", "teso_pre"]}, (60, 2, 0, 0), 10),
    Entry(INTER + "SimplyAgree/temps.csv", "continuous", {"item": ["id", "trial_condition"], "cluster": "id", "rater": "tod", "rating": "trec_pre"}, (30, 2, 0, 0), 10),
    Entry(INTER + "pingouin/blandaltman.csv", "continuous", {}, (30, 2, 0, 0)),
    Entry(INTER + "pingouin/chi2_mcnemar.csv", "nominal", SUBJECT, (80, 2, 0, 0)),
    Entry(INTER + "pingouin/cochran.csv", "nominal", {"item": "Subject", "rater": "Time", "rating": "Energetic"}, (20, 3, 0, 0)),
    Entry(INTER + "pingouin/cronbach_alpha.csv", "continuous", {"item": "Subj", "rater": "Items", "rating": "Scores"}, (15, 10, 0, 0)),
    Entry(INTER + "pingouin/icc.csv", "continuous", {"item": "Wine", "rater": "Judge", "rating": "Scores"}, (8, 4, 0, 0)),
    Entry(FROM_R + "pub_binary_study1.csv", "nominal", SUBJECT, (20, 2, 0, 0)),
    Entry(FROM_R + "pub_binary_study2.csv", "nominal", SUBJECT, (20, 2, 0, 0)),
    Entry(FROM_R + "pub_binary_study3.csv", "nominal", SUBJECT, (30, 2, 0, 0)),
    Entry(FROM_R + "pub_bland_altman_1986_pefr.csv", "continuous", {**SUBJECT, "raters": ["large1", "mini1"]}, (17, 2, 0, 0)),
    Entry(FROM_R + "pub_fleiss1971_counts.csv", "nominal", {**SUBJECT, "layout": "counts"}, (15, 6, 0, 0)),
    Entry(FROM_R + "pub_fleiss1971_diagnoses.csv", "nominal", SUBJECT, (30, 6, 0, 0)),
    Entry(FROM_R + "pub_gwet_abstractors3x3.csv", "nominal", {"layout": "contingency"}, (100, 2, 0, 0)),
    Entry(FROM_R + "pub_gwet_ben_gerry.csv", "nominal", {**SUBJECT, "categories": list("abcde")}, (12, 2, 1, 0)),
    Entry(FROM_R + "pub_gwet_diagnosis4x4.csv", "nominal", {"layout": "contingency"}, (223, 2, 0, 0)),
    Entry(FROM_R + "pub_gwet_dist4cat.csv", "nominal", {**SUBJECT, "layout": "counts"}, (15, 4, 0, 0)),
    Entry(FROM_R + "pub_gwet_dist_g1g2.csv", "nominal", {**SUBJECT, "layout": "counts"}, (14, 4, 7, 0)),
    Entry(FROM_R + "pub_gwet_raw5obser.csv", "ordinal", {**SUBJECT, "categories": [0, 1, 2, 3]}, (15, 5, 17, 0)),
    Entry(FROM_R + "pub_gwet_raw_g1g2.csv", "nominal", SUBJECT, (14, 4, 7, 0)),
    Entry(FROM_R + "pub_gwet_raw_gender.csv", "nominal", SUBJECT, (15, 4, 0, 0)),
    Entry(FROM_R + "pub_holmquist_uterine.csv", "ordinal", {**SUBJECT, "layout": "counts", "categories": UTERINE}, (118, 7, 0, 0)),
    Entry(FROM_R + "pub_irr_anxiety.csv", "ordinal", {**SUBJECT, "categories": SIX}, (20, 3, 0, 0)),
    Entry(FROM_R + "pub_irr_video.csv", "ordinal", {**SUBJECT, "categories": SIX}, (20, 4, 0, 0)),
    Entry(FROM_R + "pub_irr_vision.csv", "ordinal", {"layout": "contingency", "categories": GRADES, "raters": ["right eye", "left eye"]}, (7477, 2, 0, 0)),
    Entry(FROM_R + "pub_krippendorff_c.csv", "ordinal", {**SUBJECT, "categories": FIVE}, (12, 4, 7, 0)),
    Entry(FROM_R + "pub_oximetry.csv", "continuous", {"item": ["subject", "replicate"], "cluster": "subject"}, (177, 2, 0, 0), 61),
    Entry(FROM_R + "pub_plasma_volume.csv", "continuous", SUBJECT, (99, 2, 0, 0)),
    Entry(FROM_R + "pub_sbp_all.csv", "continuous", {**SUBJECT, "raters": ["J_1", "R_1", "S_1"]}, (85, 3, 0, 0)),
    Entry(FROM_R + "pub_sbp_first.csv", "continuous", SUBJECT, (85, 3, 0, 0)),
    Entry(FROM_R + "pub_wine.csv", "ordinal", {**SUBJECT, "layout": "counts", "categories": FIVE}, (8, 9, 0, 0)),
]  # fmt: skip

# Files that hold no ratings, or cannot be read as they are: file, kind, options, words.
REFUSED: list[tuple[str, str, dict[str, Any], list[str]]] = [
    # Words for coefficients, not ratings.
    (INTER + "irrCAC/altman.csv", "nominal", {}, ["interp.AL", "shares no category"]),
    (INTER + "irrCAC/fleiss.csv", "continuous", {}, ["interp.FL", "not a number", "Excellent"]),
    (INTER + "irrCAC/landis.koch.csv", "nominal", {}, ["interp.LK"]),
    # Two columns of one name.
    (INTER + "irrCAC/cac.general.csv", "nominal", {}, ["row 1", "column Var2", "same name"]),
    # Regions read again on another display.
    (INTER + "HTT/pilotHTT.csv", "continuous", DENSITY, ["rated item", "twice", "item=["]),
    # Times, and a rating beyond the declared scale.
    (INTER + "mLIRADS/lirads.1-5.csv", "continuous",
     {"item": "OBSERV", "raters": of_readers("TIME_LK")}, ["row 2", "column TIME_LK", "'05:43'"]),
    (INTER + "mLIRADS/lirads.1-5.csv", "ordinal",
     {"item": "OBSERV", "raters": of_readers("LIKERT"), "categories": [1, 2, 3, 4]},
     ["unknown category", "'5'"]),
    # Tables without a line of names, read as if they had one.
    (INTER + "mOm/prostate/control.csv", "nominal", {}, ["row 1", "header=false"]),
    (INTER + "mOm/nottingham/mitosis.csv", "nominal", {}, ["row 1", "header=false"]),
    # A number for each item, a frequency, a group, a column of another kind.
    (FROM_R + "pub_irr_video.csv", "continuous", {}, ["column subject", "item=subject"]),
    (INTER + "SimplyAgree/ba1986.csv", "continuous", {}, ["column 1", "identifier"]),
    (INTER + "irrCAC/cac.raw4raters.csv", "nominal", {}, ["column Units", "item=Units"]),
    (INTER + "randomLCA/dentistry.csv", "nominal", {}, ["frequency=freq"]),
    (INTER + "irrCAC/cac.raw.gender.csv", "nominal", {}, ["column Group", "FEMALE, MALE"]),
    (INTER + "blandr/giavarina.2015.csv", "continuous", {}, ["'-155.60%'", "raters="]),
    (INTER + "MethComp/CardOutput.csv", "continuous", {}, ["column Diag", "'sepsis'"]),
    # Another shape than a column per rater.
    (FROM_R + "pub_irr_vision.csv", "nominal", {}, ["cross-table", "layout=contingency"]),
    (FROM_R + "pub_fleiss1971_counts.csv", "nominal", SUBJECT, ["layout=counts"]),
    (FROM_R + "pub_wine.csv", "nominal", {"layout": "counts"}, ["column subject", "item="]),
    (INTER + "MethComp/milk.csv", "nominal", {}, ["'1' stands in two rows", "rater=… and"]),
    (INTER + "pingouin/icc.csv", "continuous", {"item": "Wine"}, ["column Judge", "rating=…"]),
    (INTER + "MethComp/ox.csv", "continuous", METHODS, ["'CO' rated item '1' twice", "repl"]),
    (INTER + "MethComp/hba1c.csv", "continuous", {**METHODS, "rater": "dev"}, ["twice"]),
    # Ordered categories are declared, never sorted.
    (INTER + "irr/vision.csv", "ordinal", {}, ["lowest to highest", "4th Grade"]),
    (FROM_R + "pub_holmquist_uterine.csv", "ordinal", {**SUBJECT, "layout": "counts"},
     ["lowest to"]),
]  # fmt: skip
