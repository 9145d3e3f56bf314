"""Single TOML values."""

import tomllib

from hypothesis import given
from hypothesis import strategies as st

from pullcept.store.toml_values import toml_value


@given(
    st.text(st.characters(exclude_categories=["Cs"]))
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.lists(st.text(st.characters(exclude_categories=["Cs"])))
)
def test_a_value_reads_back_and_stays_on_one_line(value: str | bool | int | list[str]) -> None:
    text = toml_value(value)
    assert "\n" not in text
    assert tomllib.loads(f"v = {text}") == {"v": value}


def test_a_lone_surrogate_is_replaced() -> None:
    assert toml_value("a\ud800b") == '"a???b"'.replace("???", "\ufffd" * 3)
