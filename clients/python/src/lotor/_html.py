"""HTML for notebooks: small tables that are readable on light and on dark pages and load nothing."""

from __future__ import annotations

from html import escape
from typing import Iterable

# Colours come from the page. The stripe is readable on white and on black.
_BOX = "border-left:4px solid {};padding:2px 0 2px 12px;margin:4px 0;color:inherit;background:transparent"
_TABLE = "border:none;border-collapse:collapse;margin:2px 0;color:inherit;font:inherit;background:transparent"
_NAME = "font-weight:normal;opacity:0.75;white-space:nowrap"
_CELL = "text-align:left;vertical-align:top;padding:1px 16px 1px 0;border:none;background:transparent;color:inherit"
GOOD, BAD, PLAIN = "#2e9e5b", "#d9534f", "#8a8a8a"


def box(title: str, rows: Iterable[tuple[str, str | None]], stripe: str = PLAIN, after: str = "") -> str:
    """A title, a table of names and texts (None: no such row), and HTML that follows. Texts are escaped."""
    lines = "".join(
        f'<tr style="background:transparent;color:inherit"><th scope="row" style="{_CELL};{_NAME}">{escape(name)}</th>'
        f'<td style="{_CELL}">{escape(text)}</td></tr>'
        for name, text in rows
        if text is not None
    )
    table = f'<table style="{_TABLE}">{lines}</table>' if lines else ""
    return f'<div style="{_BOX.format(stripe)}"><strong>{escape(title)}</strong>{table}{after}</div>'
