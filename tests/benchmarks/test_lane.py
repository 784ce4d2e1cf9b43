"""A lane gives the same answers in this process and in another one."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from benchmarks._lane import Lane, LaneError, ProcessLane

HERE = str(Path(__file__).parent)
CASE = {"dtype": "float32", "last": 0.1}


@pytest.fixture(params=["here", "process"], scope="module")
def lane(request: pytest.FixtureRequest) -> Iterator[Lane | ProcessLane]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(HERE)
        threads = torch.get_num_threads()
        made = Lane(1) if request.param == "here" else ProcessLane(sys.executable, path=sys.path)
        with made as entered:
            yield entered
        torch.set_num_threads(threads)


def test_gradient_is_flat_and_float64(lane: Lane | ProcessLane) -> None:
    assert lane.gradient("_contenders:square", CASE) == [1.0, 4.0, 9.0, 0.1 * 0.1, 6.0 + 0.1]


def test_an_open_contender_is_timed_until_it_is_closed(lane: Lane | ProcessLane) -> None:
    assert lane.open("_contenders:square", CASE) > 0
    assert lane.time("_contenders:square", 3) > 0
    lane.close("_contenders:square")
    with pytest.raises((KeyError, LaneError), match="_contenders:square"):
        lane.time("_contenders:square", 1)


def test_a_first_call_is_timed_without_being_open(lane: Lane | ProcessLane) -> None:
    assert lane.first("_contenders:square", CASE) > 0
    with pytest.raises((KeyError, LaneError), match="_contenders:square"):
        lane.time("_contenders:square", 1)


def test_a_failure_is_named_and_the_lane_goes_on(lane: Lane | ProcessLane) -> None:
    with pytest.raises((KeyError, LaneError), match="no such thing"):
        lane.open("_contenders:broken", CASE)
    assert len(lane.gradient("_contenders:square", CASE)) == 5


@pytest.mark.parametrize("lane", ["process"], indirect=True)
def test_peak_is_what_one_step_adds(lane: ProcessLane) -> None:
    assert lane.peak("_contenders:allocate", {"steps": 128}) == pytest.approx(128, abs=8)
    mebibytes, seconds = lane.cost("_contenders:allocate", {"steps": 64})
    assert mebibytes == pytest.approx(64, abs=8)
    assert seconds > 0
    with pytest.raises(LaneError, match="status 3"):  # the last that is asked of this process
        lane.open("_contenders:deadly", {})
