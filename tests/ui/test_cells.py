"""Rows of terminal cells as pieces for the painter."""

import pytest

from pullcept.term.core import TerminalCore
from pullcept.term.frame import TerminalFrame
from pullcept.ui import boxes, cells
from pullcept.ui.cells import Colours, Fill, Glyphs, Piece, Rule, Shape
from pullcept.ui.palette import palette


def frame(data: str, columns: int = 40) -> TerminalFrame:
    core = TerminalCore(columns, 4)
    core.set_colors((216, 219, 224), (20, 23, 30), cells.palette_bytes(palette("dark").ansi))
    core.feed(data.encode())
    return core.frame()


def pieces(data: str, fits: cells.Fits = lambda character, face, bold, width: True) -> list[Piece]:
    made = frame(data)
    return cells.pieces(made.rows[0], made, Colours(), fits)


def test_plain_text_is_one_item() -> None:
    assert pieces("hello world") == [Glyphs(0, "hello world", "#d8dbe0", "narrow", False, False)]


def test_wide_characters_stand_on_their_own_cells() -> None:
    made = pieces("ab日本c")
    assert [(piece.column, piece.text, piece.face) for piece in made if isinstance(piece, Glyphs)] == [
        (0, "ab", "narrow"),
        (2, "日本", "wide"),
        (6, "c", "narrow"),
    ]


def test_a_glyph_that_does_not_fit_its_cell_is_placed_alone() -> None:
    made = pieces("aé⠋bé", lambda character, face, bold, width: character != "⠋")
    assert [(piece.column, piece.text) for piece in made if isinstance(piece, Glyphs)] == [
        (0, "aé"),
        (2, "⠋"),
        (3, "bé"),
    ]


def test_a_cluster_is_one_item_in_its_cells() -> None:
    made = pieces("👨‍👩‍👧x")
    assert [(piece.column, piece.text) for piece in made if isinstance(piece, Glyphs)] == [(0, "👨‍👩‍👧"), (2, "x")]


def test_lines_and_blocks_are_shapes() -> None:
    made = pieces("│█ é")
    assert [type(piece) for piece in made] == [Shape, Shape, Glyphs]


def test_colours_come_from_the_theme_and_from_the_program() -> None:
    made = pieces("\x1b[31mred\x1b[0m \x1b[38;2;1;2;3mrgb\x1b[0m \x1b[48;5;24mon\x1b[0m")
    assert [piece.colour for piece in made if isinstance(piece, Glyphs)] == ["#eb7671", "#010203", "#d8dbe0"]
    assert [piece.colour for piece in made if isinstance(piece, Fill)] == ["#005f87"]


def test_inverse_swaps_and_invisible_draws_nothing() -> None:
    swapped = pieces("\x1b[7mx")
    assert swapped[0] == Fill(0, 1, "#d8dbe0")
    assert isinstance(swapped[1], Glyphs)
    assert swapped[1].colour == "#14171e"
    assert [type(piece) for piece in pieces("\x1b[8mx")] == []


def test_underline_strike_and_overline_are_rules() -> None:
    made = pieces("\x1b[4;9;53mabc")
    assert [(piece.place, piece.width) for piece in made if isinstance(piece, Rule)] == [
        ("under", 3),
        ("through", 3),
        ("over", 3),
    ]


def test_very_many_new_colours_in_a_frame_become_coarser() -> None:
    colours = Colours()
    colours.begin()
    said = {colours.text((n % 256, n // 256, n * 7 % 256)) for n in range(4000)}
    assert len(said) < cells.NEW_COLOURS_A_FRAME + 8**3 + 1
    colours.begin()
    assert colours.text((1, 2, 3)) == "#010203"


def test_the_text_of_cells_is_what_was_printed() -> None:
    row = frame("ab日本 x👨‍👩‍👧").rows[0]
    assert cells.row_text(row, 0, 40) == "ab日本 x👨‍👩‍👧"
    assert cells.row_text(row, 1, 4) == "b日"
    assert cells.row_text(row, 20, 30) == ""
    assert [cells.cell_text(row, column) for column in (0, 2, 6, 30)] == ["a", "日", " ", " "]


@pytest.mark.parametrize("size", [(7, 14), (8, 20), (16, 40)])
def test_every_drawn_character_stays_in_its_cell_and_lines_reach_the_edge(size: tuple[int, int]) -> None:
    width, height = size
    for code in range(0x2500, 0x25A0):
        if boxes.is_drawn(chr(code)):
            for left, top, right, bottom in boxes.boxes(chr(code), width, height):
                assert 0 <= left < right <= width
                assert 0 <= top < bottom <= height
    assert boxes.boxes("─", width, height)[0][0] == 0
    assert boxes.boxes("─", width, height)[1][2] == width
    assert boxes.boxes("█", width, height) == ((0, 0, width, height),)


def test_the_palette_has_256_colours() -> None:
    made = cells.palette_bytes(palette("light").ansi)
    assert len(made) == 768
    assert made[3 * 196 : 3 * 196 + 3] == bytes((255, 0, 0))
    assert made[3 * 255 : 3 * 255 + 3] == bytes((238, 238, 238))
