"""How leaves are dealt out to launches and blocks."""

from __future__ import annotations

from array import array

from hypothesis import given
from hypothesis import strategies as st

from torchopt.native.cuda._layout import COLUMNS, offsets, plan

SIZES = st.lists(st.integers(0, 20_000), max_size=60).map(tuple)


@given(SIZES, st.sampled_from([4, 8]))
def test_leaves_start_at_the_first_multiples_of_64_bytes_that_are_free(sizes, itemsize):
    starts = offsets(sizes, itemsize)
    assert starts[0] == 0
    for n, start, after in zip(sizes, starts, starts[1:], strict=False):
        assert after * itemsize % 64 == 0
        assert 0 <= after - start - n < 64 // itemsize


@given(SIZES, st.integers(30, 200), st.integers(1, 12))
def test_every_element_is_in_one_block_of_one_launch(sizes, words, pointers):
    dealt = plan(sizes, words, pointers)
    seen, chunks = [], 0
    for launch in dealt.launches:
        n = len(launch.leaves)
        table = array("q", launch.words)
        assert len(table) == COLUMNS * n
        assert (COLUMNS + pointers) * n <= words
        assert launch.first == chunks
        blocks = 0
        for k, leaf in enumerate(launch.leaves):
            assert (table[k], table[n + k]) == (sizes[leaf], blocks)
            blocks += -(-sizes[leaf] // dealt.chunk)
        assert launch.chunks == blocks
        seen += launch.leaves
        chunks += blocks
    assert seen == [i for i, n in enumerate(sizes) if n > 0]
    assert dealt.chunks == chunks
