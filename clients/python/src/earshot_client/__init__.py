"""Client of Earshot, the social post search: `Earshot`, and `AsyncEarshot` with the same methods."""

from earshot_proof import ProofVerdict, verify_proof

from ._async_client import AsyncEarshot
from ._client import Earshot
from ._errors import EarshotConnectionError, EarshotError, EarshotTimeoutError
from ._types import JobChange, JobResult, Params, Record, SearchPage
from ._webhook import verify_webhook

__all__ = [
    "AsyncEarshot",
    "Earshot",
    "EarshotConnectionError",
    "EarshotError",
    "EarshotTimeoutError",
    "JobChange",
    "JobResult",
    "Params",
    "ProofVerdict",
    "Record",
    "SearchPage",
    "verify_proof",
    "verify_webhook",
]
