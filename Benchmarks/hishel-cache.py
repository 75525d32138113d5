"""Measures the hits of hishel, an HTTP cache for Python, over a transport that responds at once.

It needs hishel 2 and httpx (pip install hishel httpx). `caching` measures the same loads with Errand.
"""

import argparse
import sqlite3
import statistics
import tempfile
import threading
import time
from pathlib import Path

import hishel
import httpx
from hishel.httpx import CacheTransport


def transport(length):
    body = b"e" * length
    fields = {"Content-Type": "text/plain", "Cache-Control": "max-age=86400", "ETag": '"1"'}
    return httpx.MockTransport(lambda request: httpx.Response(200, headers=fields, content=body))


def cached(storage, length):
    # By default hishel does not follow RFC 9111.
    return httpx.Client(transport=CacheTransport(next_transport=transport(length), storage=storage, rfc=True))


def run(client, urls, threads, each):
    """Returns the microseconds of one request, with `threads` at once."""

    def work(thread):
        for number in range(each):
            client.get(urls[(thread * each + number) % len(urls)])

    workers = [threading.Thread(target=work, args=(number,)) for number in range(threads)]
    start = time.perf_counter()
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return (time.perf_counter() - start) * 1e6 / (threads * each)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        one = ["http://a.test/one"]
        many = [f"http://a.test/{number}" for number in range(1000)]
        plain = httpx.Client(transport=transport(100))
        memory = hishel.SqliteStorage(connection=sqlite3.connect(":memory:", check_same_thread=False))
        in_memory = cached(memory, 100)
        on_disk = cached(hishel.SqliteStorage(database_path=Path(folder) / "cache.db"), 10_000)
        in_memory.get(one[0])
        for url in many:
            on_disk.get(url)
        for client, url in [(in_memory, one[0]), (on_disk, many[0])]:
            if not client.get(url).extensions["caching"]["from_cache"]:
                raise SystemExit("hishel did not take the response from its cache")

        times = {}
        for _ in range(rounds):
            for name, work in {
                "plain": lambda: run(plain, one, 1, 1000),
                "memory": lambda: run(in_memory, one, 1, 1000),
                "disk": lambda: run(on_disk, many, 1, 1000),
                "disk, 8": lambda: run(on_disk, many, 8, 125),
            }.items():
                times.setdefault(name, []).append(work())
        figures = {name: statistics.median(values) for name, values in times.items()}
        print(f"hishel {hishel_version()} over a transport that responds at once, medians of {rounds} rounds")
        print(f"  httpx without a cache     {figures['plain']:10.0f} µs")
        print(f"  hit in memory (SQLite)    {figures['memory']:10.0f} µs")
        print(f"  hit on disk, 10 KB        {1e6 / figures['disk']:10.0f} a second, one at a time")
        print(f"  hit on disk, 10 KB        {1e6 / figures['disk, 8']:10.0f} a second, 8 at once")


def hishel_version():
    from importlib.metadata import version

    return version("hishel")


main()
