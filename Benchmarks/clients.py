#!/usr/bin/env python3
"""Measures clients side by side, each in a program of its own, so that their threads and memory do not meet.

    clients.py --url URL --throughput PROGRAM [--go PROGRAM] [--rounds 5]

It prints the medians of interleaved rounds: requests a second, processor seconds for 10,000 requests, and how often a
thread of the client began to wait, for each request. Whatever waits has to be woken.
"""

import argparse
import json
import statistics
import subprocess

# The most processor time beside libcurl's socket interface, and the least rate beside Go's.
BARS = {1: (1.6, 1.0), 16: (1.35, 0.95), 64: (1.35, 0.95), 256: (1.35, 0.95)}


def measure(command, url, requests, concurrency):
    options = ["--url", url, "--requests", str(requests), "--concurrency", str(concurrency)]
    output = subprocess.run(command + options, check=True, capture_output=True, text=True).stdout
    (figures,) = json.loads(output)["clients"].values()
    return figures


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--url", required=True)
    parser.add_argument("--throughput", required=True)
    parser.add_argument("--go")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    swift = [arguments.throughput, "--json", "--rounds", "1", "--client"]
    commands = {name: swift + [name] for name in ("errand", "libcurl", "libcurl-sockets")}
    if arguments.go:
        commands["go"] = [arguments.go]
    for concurrency, (most, least) in BARS.items():
        requests = 10_000 if concurrency == 1 else 40_000
        rounds = {name: [] for name in commands}
        for _ in range(arguments.rounds):
            for name, command in commands.items():
                rounds[name].append(measure(command, arguments.url, requests, concurrency))

        def median(name, figure):
            return statistics.median(each[figure] for each in rounds[name])

        print(f"{concurrency} in flight, {requests} requests a round, medians of {arguments.rounds} rounds")
        print(f"  {'client':24}{'requests/s':>12}{'CPU s per 10,000':>18}{'waits':>8}")
        for name in commands:
            rate, cpu = median(name, "requestsPerSecond"), median(name, "cpuSecondsPer10000")
            print(f"  {name:24}{rate:12.0f}{cpu:18.3f}{median(name, 'waitsPerRequest'):8.2f}")
        ratios = [
            after["cpuSecondsPer10000"] / before["cpuSecondsPer10000"]
            for after, before in zip(rounds["errand"], rounds["libcurl-sockets"])
        ]
        print(f"  {'CPU, errand/libcurl-sockets':30}{statistics.median(ratios):6.2f}  (at most {most})")
        if arguments.go:
            ratios = [
                after["requestsPerSecond"] / before["requestsPerSecond"]
                for after, before in zip(rounds["errand"], rounds["go"])
            ]
            print(f"  {'rate, errand/go':30}{statistics.median(ratios):6.2f}  (at least {least})")
        print()


main()
