"""Rows as a table."""

from __future__ import annotations

from typing import Any, Optional


def table(rows: list, pandas: Optional[bool] = None) -> Any:
    """The rows as a pandas.DataFrame; as they are if pandas is not installed, or not wanted.

    >>> table([{"a": 1}], pandas=False)
    [{'a': 1}]
    """
    if pandas is False:
        return rows
    try:
        from pandas import DataFrame
    except ImportError:
        if pandas:
            raise
        return rows
    return DataFrame(rows)
