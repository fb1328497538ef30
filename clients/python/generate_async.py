"""Writes src/earshot_client/_async_client.py from _client.py. With --check, fails if it is out of date."""

import re
import sys
from pathlib import Path

FOLDER = Path(__file__).parent / "src" / "earshot_client"
METHODS = (
    "search|search_all|submit|wait|status|cancel|proof|jobs|counts|events|close|_events_of|_run|_send"
    "|create|list|get|delete|enable|replace_secret|test|deliveries|replay|_call"
)

#: Every pattern must match, so that a change of the source cannot go unnoticed.
REPLACEMENTS = [
    (r"^import time$", "import asyncio"),
    (r"Iterator", "AsyncIterator"),
    (r"httpx\.Client", "httpx.AsyncClient"),
    (r"class Earshot:\n    \"\"\"", 'class AsyncEarshot:\n    """Like `Earshot`, with coroutines. '),
    (r"-> Earshot:", "-> AsyncEarshot:"),
    (r"earshot: Earshot\)", "earshot: AsyncEarshot)"),
    (r"class Webhooks:", "class AsyncWebhooks:"),
    (r"= Webhooks\(", "= AsyncWebhooks("),
    (r"return self\._(call|earshot\._run)\(", r"return await self._\1("),
    (r"response = self\._call\(", "response = await self._call("),
    (r"        self\._call\(", "        await self._call("),
    (rf"    def ({METHODS})\(", r"    async def \1("),
    (r"return self\._run\(", "return await self._run("),
    (r"        self\._run\(", "        await self._run("),
    (r"page = self\.search\(", "page = await self.search("),
    (
        r"yield from self\._events_of\(reader\)",
        "async for change in self._events_of(reader):\n                    yield change",
    ),
    (r"time\.sleep\(", "await asyncio.sleep("),
    (r"self\._http\.close\(\)", "await self._http.aclose()"),
    (r"def __enter__", "async def __aenter__"),
    (r"def __exit__", "async def __aexit__"),
    (r"        self\.close\(\)", "        await self.close()"),
    (r"with self\._http\.stream", "async with self._http.stream"),
    (r"response\.read\(\)", "await response.aread()"),
    (r"for line in response\.iter_lines\(\)", "async for line in response.aiter_lines()"),
    (r"outcome = self\._send\(", "outcome = await self._send("),
    (r"response = self\._http\.request\(", "response = await self._http.request("),
]


def generated() -> str:
    text = (FOLDER / "_client.py").read_text()
    for pattern, replacement in REPLACEMENTS:
        text, count = re.subn(pattern, replacement, text, flags=re.MULTILINE)
        if count == 0:
            sys.exit(f"generate_async.py: {pattern} matches nothing")
    return "# Generated from _client.py by generate_async.py.\n" + text


target = FOLDER / "_async_client.py"
if "--check" not in sys.argv:
    target.write_text(generated())
elif target.read_text() != generated():
    sys.exit("_async_client.py is out of date: python generate_async.py")
