"""Two network namespaces as two hosts: right over the wire, and an error when the wire is cut."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

# The fast tests have lost ranks on one host.
pytestmark = [pytest.mark.processes, pytest.mark.slow]

PROGRAM = Path(__file__).with_name("host_program.py")
SOURCES = Path(__file__).parents[2] / "src"


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


@pytest.fixture
def hosts() -> Iterator[list[str]]:
    names = [f"torchopt-{os.getpid()}-{k}" for k in range(2)]
    cards = [f"to{os.getpid() % 100000}-{k}" for k in range(2)]
    if shutil.which("ip") is None:
        pytest.skip("needs the `ip` command")
    try:
        for name in names:
            ip("netns", "add", name)
        ip("link", "add", cards[0], "type", "veth", "peer", "name", cards[1])
        for k, (name, card) in enumerate(zip(names, cards, strict=True)):
            ip("link", "set", card, "netns", name)
            ip("-n", name, "link", "set", card, "name", "wire")
            ip("-n", name, "address", "add", f"10.213.77.{k + 1}/24", "dev", "wire")
            ip("-n", name, "link", "set", "wire", "up")
            ip("-n", name, "link", "set", "lo", "up")
    except subprocess.CalledProcessError as error:
        remove(names)
        pytest.skip(f"this machine allows no network namespaces: {error.stderr.decode().strip()}")
    yield names
    remove(names)


def remove(names: list[str]) -> None:
    for name in names:
        subprocess.run(["ip", "netns", "delete", name], capture_output=True, check=False)


def test_hosts_compute_together_and_a_cut_wire_is_an_error(hosts: list[str]) -> None:
    programs = []
    for rank, host in enumerate(hosts):
        settings = {
            "MASTER_ADDR": "10.213.77.1",
            "MASTER_PORT": "29517",
            "RANK": str(rank),
            "WORLD_SIZE": "2",
            "GLOO_SOCKET_IFNAME": "wire",
            "OMP_NUM_THREADS": "1",
            "PYTHONPATH": str(SOURCES),
        }
        programs.append(
            subprocess.Popen(
                ["ip", "netns", "exec", host, sys.executable, str(PROGRAM)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                env={**os.environ, **settings},
            )
        )
    try:
        for program in programs:
            name, difference = program.stdout.readline().split()
            assert name == "difference"
            assert float(difference) < 1e-12
            assert program.stdout.readline() == "ready\n"
        ip("-n", hosts[1], "link", "set", "wire", "down")
        for program in programs:
            program.stdin.write("the link is down\n")
            program.stdin.flush()
        for rank, program in enumerate(programs):
            word, seconds, text = program.stdout.readline().split(maxsplit=2)
            assert word == "lost", text
            assert float(seconds) < 30
            assert f"rank {1 - rank}" in text
    finally:
        for program in programs:
            program.kill()
            program.communicate()
