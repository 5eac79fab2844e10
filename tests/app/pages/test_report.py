"""The page is whole, self-contained, and safe whatever the text."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

import pytest

from smixup.app.pages.report import (
    Code,
    Link,
    Picture,
    Prose,
    Report,
    Section,
    Table,
    running,
    write_page,
)
from smixup.app.pictures import style
from smixup.errors import SmixupError

EVIL = "<script>alert('x')</script> & \"quoted\""
VOID = {"meta", "link", "img", "br", "hr", "input"}


class Reader(HTMLParser):
    """Collects tags, attributes and text, and insists that every tag is closed."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attributes
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attributes

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def figure() -> style.Figure:
    with style.styled():
        drawn = style.new_figure(2, 1)
        drawn.subplots().plot([0, 1])
    return drawn


def page() -> Report:
    blocks = [
        Prose(EVIL),
        Code(EVIL),
        Table([EVIL], [[EVIL]], EVIL),
        Picture({EVIL: figure()}, EVIL),
    ]
    return Report(EVIL, EVIL, [Section(EVIL, blocks)])


def test_all_text_is_escaped_and_all_tags_are_closed() -> None:
    reader = Reader(page().html())
    assert reader.tags.count("script") == 1, "ours, which copies commands"
    assert reader.open == []
    assert reader.text.count(EVIL) == 10
    assert ("aria-label", EVIL) in reader.attributes


def test_nothing_is_fetched() -> None:
    reader = Reader(page().html())
    assert not {"link", "iframe", "img"} & set(reader.tags)
    for name, value in reader.attributes:
        if name in ("href", "xlink:href", "src"):
            assert value is not None
            assert value.startswith("#")
    assert "@import" not in page().html()


def test_a_link_is_escaped() -> None:
    reader = Reader(Link(EVIL, f'a.html"{EVIL}').html())
    assert reader.tags == ["p", "a"]
    assert reader.text == EVIL
    assert reader.attributes == [("href", f'a.html"{EVIL}')]


def test_a_page_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    with pytest.raises(SmixupError, match=r"cannot write the page .*: Is a directory\."):
        write_page("text", tmp_path)
    assert list(tmp_path.parent.glob(".*unfinished")) == []


def test_the_page_suits_dark_screens_and_phones() -> None:
    text = page().html()
    assert "prefers-color-scheme: dark" in text
    assert 'name="viewport"' in text


def test_sections_keep_their_order() -> None:
    report = Report("t", sections=[Section("first", [])])
    report.sections.append(Section("second", [Prose("grown")]))
    text = report.html()
    assert text.index("first") < text.index("second") < text.index("grown")


def test_writing_makes_folders_and_leaves_one_file(tmp_path: Path) -> None:
    path = page().write(tmp_path / "deep" / "report.html")
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert list(path.parent.iterdir()) == [path]


def test_an_interrupted_page_leaves_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = Report("old").write(tmp_path / "report.html")
    before = path.read_text()

    def stop(self: Path, target: Path) -> Path:
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", stop)
    with pytest.raises(KeyboardInterrupt):
        page().write(path)
    assert path.read_text() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_wide_picture_keeps_a_width_at_which_it_can_be_read() -> None:
    wide, narrow = (Picture({"a": style.new_figure(inches, 2.0)}, "") for inches in (9.0, 4.0))
    assert '<div style="--most: 1170px; --least: 576px">' in wide.html()
    assert '<div style="--most: 520px">' in narrow.html()


def test_lines_do_not_end_within_a_name_or_an_interval() -> None:
    whole = '<span class="whole">{}</span>'.format
    text = "S-Mixup less Vanilla: -0.5 [-1.2, +0.2], <none> decided."
    expected = (
        f"{whole('S-Mixup')} less Vanilla: -0.5 {whole('[-1.2, +0.2]')}, &lt;none&gt; decided."
    )
    assert running(text) == expected
    assert Prose(text).html() == f"<p>{expected}</p>"
    assert running("one-to-one, [a, b], 1, 2") == "one-to-one, [a, b], 1, 2"
