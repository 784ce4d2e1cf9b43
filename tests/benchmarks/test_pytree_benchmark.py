"""The benchmark of trees runs with tiny settings."""

from pathlib import Path

from benchmarks import pytree


def test_runs_and_says_who_took_part(tmp_path: Path) -> None:
    tiny = ["--rounds", "1", "--budget", "0", "--output", str(tmp_path / "out.md")]
    text = pytree.main([*tiny, "--trees", "MLP, dict of dicts"])
    assert "Engine: " in text
    assert text.count("| MLP, dict of dicts ") == 3
    for name in pytree.PEERS:
        assert name in text
