"""What is told beyond the five documents: kept apart, dated, sourced, and found by the words people ask with."""

from __future__ import annotations

import pytest

from knowledge.models import LANGUAGES, Passage
from knowledge.store import Library
from tests.conftest import shared_library


@pytest.fixture(scope="module")
def library() -> Library:
    return shared_library()


def beyond(library: Library) -> list[Passage]:
    return [library.get(name) for name in library.ids if library.get(name).origin == "beyond"]


def test_there_are_enough_of_them(library: Library) -> None:
    assert len(beyond(library)) >= 80


def test_they_are_kept_apart(library: Library) -> None:
    inside = {name for name in library.ids if library.get(name).folder == "beyond"}
    assert inside == {passage.id for passage in beyond(library)}
    assert all(not passage.seeds and not passage.covers for passage in beyond(library))


def test_each_rests_on_a_page_that_was_read(library: Library) -> None:
    for passage in beyond(library):
        assert passage.source_ids, passage.id
        for name in passage.source_ids:
            source = library.sources[name]
            assert source.url.startswith(("http://", "https://")), name
            assert source.read_on, name
            assert source.kind != "seed", name


def test_none_is_dated_later_than_its_reading(library: Library) -> None:
    for passage in beyond(library):
        read = max(library.sources[name].read_on or "" for name in passage.source_ids)
        assert passage.as_of.date <= read, passage.id


def test_no_record_lies_about_unused(library: Library) -> None:
    used = {name for passage in beyond(library) for name in passage.source_ids}
    used |= {name for row in (*library.software_rows, *library.switch_rows) for name in row.sources}
    assert {name for name in library.sources if name.startswith("by-")} <= used


@pytest.mark.parametrize("language", LANGUAGES)
def test_its_questions_find_it(library: Library, language: str) -> None:
    asked, behind, lost = 0, [], []
    for passage in beyond(library):
        for question in passage.questions.zh if language == "zh" else passage.questions.en:
            found = [hit.passage.id for hit in library.search(question)]
            asked += 1
            if passage.id not in found:
                lost.append((question, passage.id))
            elif found[0] != passage.id:
                behind.append((question, passage.id))
    assert len(lost) <= 0.01 * asked, lost
    assert len(lost) + len(behind) <= 0.05 * asked, behind


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("我的 5090 跑 pytorch 说 sm_120 不兼容", "rtx50-sm120-error"),
        ("vllm 怎么一上来显存就满了", "vllm-takes-90-percent"),
        ("1080 Ti 装完新版 torch 提示 no kernel image", "pytorch-old-card-wheels"),
        ("runpod 停机以后还要交存储费吗", "runpod-storage-cost"),
        ("can I use the shared GPU memory of Windows as VRAM", "windows-shared-gpu-memory"),
        ("my vast.ai credit is gone, are the files deleted", "vast-balance-zero"),
        ("does the iogpu wired limit let my Mac use more memory for the GPU", "apple-gpu-memory-limit"),
        ("will two used 3090 be enough to QLoRA a 70B", "fsdp-qlora-two-24gb"),
    ],
)
def test_other_words_find_it_too(library: Library, question: str, name: str) -> None:
    assert library.search(question)[0].passage.id == name
