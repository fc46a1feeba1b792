"""Confusion counts, accuracy and the F-measures."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from metric_examples import ROUNDING
from sklearn.metrics import confusion_matrix as peer_confusion
from sklearn.metrics import f1_score, fbeta_score

from benchbook.errors import DataError, ParameterError
from benchbook.metrics import (
    accuracy,
    class_counts,
    confusion_matrix,
    f_per_class,
    macro_f,
    memberships,
    micro_f,
    multilabel_memberships,
)

# Published test counts of the ECG image task: positives of 11 classes among 1,780 records.
POSITIVES = (799, 23, 120, 955, 131, 168, 159, 58, 158, 683, 44)
LABELS = st.lists(
    st.tuples(st.sampled_from("abcd"), st.sampled_from(["a", "b", "c", "d", None])),
    min_size=1,
    max_size=40,
)


def multiclass(n=300, k=5, seed=0):
    generator = np.random.default_rng(seed)
    reference = generator.integers(0, k, n)
    return reference, np.where(generator.random(n) < 0.5, reference, generator.integers(0, k, n))


def multilabel(n=200, k=6, seed=0):
    generator = np.random.default_rng(seed)
    reference = generator.random((n, k)) < np.linspace(0.05, 0.6, k)
    return reference, reference ^ (generator.random((n, k)) < 0.2)


def test_predicting_every_class_on_the_published_counts_gives_the_published_macro_f():
    n, k = 1780, len(POSITIVES)
    reference = np.arange(n)[:, None] < np.array(POSITIVES)
    made = macro_f(
        class_counts(multilabel_memberships(reference, np.ones((n, k)), classes=range(k)))
    )
    assert round(made.value, 3) == 0.252
    expected = np.mean([2 * p / (p + n) for p in POSITIVES])
    assert made.value == pytest.approx(expected, abs=ROUNDING)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("beta", [1.0, 0.5, 2.0])
def test_multiclass_measures_agree_with_scikit_learn(weighted, beta):
    reference, predicted = multiclass()
    weight = np.random.default_rng(1).uniform(0, 2, 300) if weighted else None
    counts = class_counts(memberships(reference, predicted, weight=weight))

    def peer(average):
        return fbeta_score(reference, predicted, beta=beta, average=average, sample_weight=weight)

    assert macro_f(counts, beta=beta).value == pytest.approx(peer("macro"), abs=ROUNDING)
    assert micro_f(counts, beta=beta).value == pytest.approx(peer("micro"), abs=ROUNDING)
    own = [one.value for one in f_per_class(counts, beta=beta).values()]
    np.testing.assert_allclose(own, peer(None), atol=ROUNDING)


def test_multilabel_measures_agree_with_scikit_learn():
    reference, predicted = multilabel()
    items = multilabel_memberships(reference, predicted, classes="abcdef")
    counts = class_counts(items)
    for own, average in ((macro_f, "macro"), (micro_f, "micro")):
        expected = f1_score(reference, predicted, average=average)
        assert own(counts).value == pytest.approx(expected, abs=ROUNDING)
    assert accuracy(items).value == pytest.approx(
        (reference == predicted).all(axis=1).mean(), abs=ROUNDING
    )
    with pytest.raises(ParameterError, match="one class per item"):
        confusion_matrix(items)


def test_collections_and_tables_are_one():
    reference, predicted = multilabel(30)
    names = np.array(list("uvwxyz"))
    lists = [[set(names[row]) for row in table] for table in (reference, predicted)]
    by_name = multilabel_memberships(*lists, classes=names.tolist())
    np.testing.assert_array_equal(by_name.reference, reference)
    np.testing.assert_array_equal(by_name.predicted, predicted)
    frames = multilabel_memberships(
        pd.DataFrame(reference), pd.DataFrame(predicted.astype(int)), classes=names.tolist()
    )
    np.testing.assert_array_equal(frames.predicted, predicted)
    nullable = pd.DataFrame(reference).astype("boolean")
    again = multilabel_memberships(nullable, predicted, classes=names.tolist())
    np.testing.assert_array_equal(again.reference, reference)
    with pytest.raises(DataError, match="column reference"):
        multilabel_memberships(nullable.mask(nullable[0]), predicted, classes=names.tolist())


@given(LABELS)
def test_measures_are_those_of_counts_by_hand(pairs):
    reference, predicted = zip(*pairs, strict=True)
    counts = class_counts(memberships(reference, predicted, classes="abcd"))
    f = {}
    for label in "abcd":
        tp = sum(r == label and p == label for r, p in pairs)
        wrong = sum((r == label) != (p == label) for r, p in pairs)
        f[label] = 2 * tp / (2 * tp + wrong) if tp or wrong else np.nan
    own = f_per_class(counts)
    for label, value in f.items():
        assert own[label].value == pytest.approx(value, abs=ROUNDING, nan_ok=True)
        assert (own[label].reason is not None) == np.isnan(value)
    occurring = [f[label] for label in sorted(set(reference))]
    assert macro_f(counts).value == pytest.approx(np.mean(occurring), abs=ROUNDING)


@given(LABELS)
def test_without_gaps_micro_f_is_the_accuracy(pairs):
    reference, predicted = zip(*pairs, strict=True)
    predicted = [p or "a" for p in predicted]
    items = memberships(reference, predicted)
    assert micro_f(class_counts(items)).value == pytest.approx(accuracy(items).value, abs=ROUNDING)


@given(LABELS, st.permutations("abcd"))
def test_names_and_order_of_classes_do_not_matter(pairs, order):
    reference, predicted = zip(*pairs, strict=True)
    rename = dict(zip("abcd", order, strict=True))
    plain = macro_f(class_counts(memberships(reference, predicted, classes="abcd")))
    renamed = macro_f(
        class_counts(
            memberships(
                [rename[r] for r in reference],
                [rename.get(p) for p in predicted],
                classes=sorted("abcd", reverse=True),
            )
        )
    )
    assert renamed.value == pytest.approx(plain.value, abs=ROUNDING)


def test_all_wrong_is_zero_and_only_nothing_at_all_is_undefined():
    counts = class_counts(memberships(["a", "b"], ["b", "a"], classes=["a", "b", "c"]))
    assert [one.value for one in f_per_class(counts).values()][:2] == [0, 0]
    assert "neither occurs" in f_per_class(counts)["c"].reason
    assert macro_f(counts).value == 0
    assert micro_f(counts).value == 0


def test_a_class_that_is_only_predicted_is_no_part_of_the_mean():
    counts = class_counts(memberships(["a", "a", "b"], ["a", "c", "b"]))
    assert f_per_class(counts)["c"].value == 0
    assert macro_f(counts).value == pytest.approx((2 / 3 + 1) / 2, abs=ROUNDING)


def test_an_answer_that_names_no_class_is_wrong_not_dropped():
    items = memberships(["a", "a", "b"], ["a", None, np.nan])
    counts = class_counts(items)
    assert counts.false_negative.tolist() == [1, 1]
    assert accuracy(items).value == pytest.approx(1 / 3, abs=ROUNDING)
    assert confusion_matrix(items).to_numpy().tolist() == [[1, 0, 1], [0, 0, 1]]


def test_nothing_at_all_is_undefined_with_the_reason():
    empty = multilabel_memberships([set(), set()], [set(), set()], classes="ab")
    assert "no class occurs" in macro_f(class_counts(empty)).reason
    assert "no item has" in micro_f(class_counts(empty)).reason
    assert accuracy(empty).value == 1
    nobody = memberships([], [], classes="ab")
    assert accuracy(nobody).reason == "there are no items"
    assert micro_f(class_counts(nobody)).reason == "there are no items"
    weightless = memberships(["a"], ["a"], weight=[0.0])
    assert not accuracy(weightless).defined
    assert not macro_f(class_counts(weightless)).defined


def test_the_confusion_matrix_is_scikit_learns():
    reference, predicted = multiclass()
    weight = np.arange(300) % 4
    own = confusion_matrix(memberships(reference, predicted, weight=weight))
    np.testing.assert_allclose(
        own.to_numpy()[:, :-1], peer_confusion(reference, predicted, sample_weight=weight)
    )
    assert own["(none)"].sum() == 0


def test_accuracy_has_a_wilson_interval():
    made = accuracy(memberships([1] * 10, [1] * 8 + [2] * 2))
    # Wilson for 8 of 10 at 95 %: 0.490 to 0.943 (Wilson 1927's formula by hand).
    assert (made.low, made.high) == pytest.approx((0.4901625, 0.9433178), abs=1e-7)
    assert made.method == "Wilson"


def test_labels_may_be_tuples_numbers_or_words():
    items = memberships([(1, "x"), (2, "y")], [(1, "x"), (1, "x")])
    assert items.classes == ((1, "x"), (2, "y"))
    assert accuracy(items).value == 0.5
    mixed = memberships([1, "b"], ["b", "b"])
    assert set(mixed.classes) == {1, "b"}
    series = memberships(pd.Series(["a", "b"]), pd.Series(["a", None]))
    assert accuracy(series).value == 0.5


def test_labels_that_cannot_be_used_name_their_place():
    with pytest.raises(DataError, match="row 2, column reference"):
        memberships(["a", None], ["a", "a"])
    with pytest.raises(DataError, match=r"row 2, column predicted.*did you mean 'NORM'"):
        memberships(["NORM", "AFIB"], ["NORM", "NORN"], classes=["NORM", "AFIB"])
    with pytest.raises(DataError, match="2 values"):
        memberships(["a"], ["a", "b"])
    with pytest.raises(ParameterError, match="twice"):
        memberships(["a"], ["a"], classes=["a", "a"])
    with pytest.raises(DataError, match="row 1, column predicted"):
        multilabel_memberships([{"a"}], [{"z"}], classes="ab")
    ignored = multilabel_memberships([{"a"}], [{"z"}], classes="ab", ignore_unknown=True)
    assert not ignored.predicted.any()
    with pytest.raises(DataError, match="not a collection"):
        multilabel_memberships(["a"], [{"a"}], classes="ab")
    with pytest.raises(DataError, match="one column for each of 2"):
        multilabel_memberships(np.ones((3, 3)), np.ones((3, 3)), classes="ab")
    with pytest.raises(DataError, match="not a vector"):
        memberships(np.ones((3, 2)), [1, 1, 1])
    with pytest.raises(ParameterError, match="beta"):
        macro_f(class_counts(memberships(["a"], ["a"])), beta=0)
