"""Shapes of the API (docs/api.md), under its names."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypedDict

Platform = Literal["social", "bluesky", "mastodon", "x"]


class Params(TypedDict, total=False):
    query: str
    #: Default `searchbyquery`: the last seven days. `searchbyfullarchive`: everything.
    method: str
    platform: Platform
    max_results: int
    start_time: str
    end_time: str
    next_cursor: str
    #: The fields of records to return; only for `search` and `search_all`.
    fields: list[str]
    #: Maximum total length of all texts, in characters; only for `search` and `search_all`.
    max_chars: int


class Record(TypedDict):
    ID: str
    Content: str
    Metadata: dict[str, Any] | None
    Score: float


class SearchPage(TypedDict):
    uuid: str
    status: str
    results: list[Record]
    next_cursor: str | None
    complete: bool
    coverage: dict[str, Any] | None
    sources: list[dict[str, Any]]
    warnings: list[dict[str, Any]]
    canonical_query: str | None
    citations: list[dict[str, Any]]
    truncated: dict[str, Any]


class JobResult(NamedTuple):
    records: list[Record]
    status: dict[str, Any]


class JobChange(TypedDict):
    uuid: str
    status: str
    attempts: int
    at: str
