"""What every part of the chapter shares: the studies of a run, evaluated once."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, wraps
from typing import Any, TypeVar, cast

from .coefficients import Coefficient, coefficients, headline
from .parameters import Parameters
from .scores import Scores
from .studies import Study, load, named_conditions

Method = TypeVar("Method", bound=Callable[..., Any])


def needs(condition: str) -> Callable[[Method], Method]:
    """Let an exhibit show nothing where its condition does not hold.

    ``benchbook run`` leaves such cells out; a notebook opened in Jupyter runs them all.
    """

    def decorate(method: Method) -> Method:
        @wraps(method)
        def guarded(self: Evaluation) -> Any:
            if condition in self.conditions:
                return method(self)
            return "" if method.__name__.startswith("say_") else None

        return cast(Method, guarded)

    return decorate


class Evaluation:
    """The studies of one run and their statistics.

    Parameters
    ----------
    parameters : Parameters
        Checked parameters; the files they name are read at once.
    """

    def __init__(self, parameters: Parameters) -> None:
        self.parameters = parameters
        self.studies = load(parameters)

    @property
    def own(self) -> bool:
        """True when the reader's own file is measured."""
        return self.parameters.data is not None

    @cached_property
    def conditions(self) -> set[str]:
        """Which conditional cells of the notebook this run keeps."""
        return named_conditions(self.studies, self.parameters)

    @cached_property
    def categorical(self) -> list[Study]:
        """Studies of nominal or ordinal ratings."""
        return [study for study in self.studies if study.categorical]

    @cached_property
    def scores(self) -> list[Scores]:
        """Studies of scores, evaluated."""
        return [Scores(one, self.parameters) for one in self.studies if not one.categorical]

    @cached_property
    def found(self) -> dict[str, dict[str, Coefficient]]:
        """Every coefficient of every categorical study."""
        return {one.key: coefficients(one, self.parameters) for one in self.categorical}

    def headline(self, study: Study) -> Coefficient:
        """Return the coefficient that the guide recommends for a study."""
        return headline(study, self.found[study.key])

    @property
    def percent(self) -> str:
        """The confidence level in words."""
        return f"{100 * self.parameters.level:g} %"

    def name(self, study: Study) -> str:
        """Return the study's name at the head of a sentence; a reader's only file needs none."""
        if self.own:
            return ""
        cited = f"[{study.source}]" if study.source.startswith("@") else f"({study.source})"
        return f"*{study.title}* {cited}: "

    def of(self, study: Study) -> str:
        """Return the study's name at the head of a caption."""
        return "" if self.own else f"{study.title}: "
