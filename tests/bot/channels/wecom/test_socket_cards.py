"""Over the long connection: questions with buttons and selectors, presses, verdicts."""

from __future__ import annotations

import pytest

from bot.core.message import Choice, Reply
from tests.fakes.wecom import INVALID_REQ_ID, Shown
from tests.fakes.wecom_stage import CASE, Script, Stage, answer, on_stage, question, until

GROUP = "wr-group-1"


def key_of(shown: Shown, label: str) -> str:
    return next(str(button["key"]) for button in shown.card["button_list"] if button["text"] == label)


async def ask(stage: Stage, *, group: str = GROUP) -> Shown:
    await stage.fake.say("lin", "@选卡助手 which?" if group else "which?", group=group)
    return await stage.fake.answer(group or "lin")


ROAD = {
    "which?": question("Which task?", "task", "nlp", "cv"),
    "@选卡助手 which?": question("Which task?", "task", "nlp", "cv"),
    "set:task=nlp": answer("take a 4090"),
}


async def test_a_question_comes_as_buttons_and_the_press_settles_it() -> None:
    async with on_stage(Script(dict(ROAD))) as stage:
        shown = await ask(stage)
        assert shown.card["card_type"] == "button_interaction"
        assert shown.card["main_title"]["title"] == "Which task?"
        press = stage.fake.pushes.press("lin", shown.card, key_of(shown, "nlp"), group=GROUP)
        await stage.fake.push(press)
        answered = await stage.fake.answer(GROUP, 2)
        assert answered.pushed
        assert answered.text.startswith("take a 4090")
        assert stage.road.heard[-1].action == f"set:task=nlp#{CASE}"
        await stage.fake.until(lambda: stage.fake.updates)
        updated = stage.fake.updates[0][1]["template_card"]
        assert [button["text"] for button in updated["button_list"]] == ["nlp"]
        assert "nlp" in updated["sub_title_text"]
        assert "userids" not in stage.fake.updates[0][1]


async def test_only_the_asker_may_press_and_others_are_told_alone() -> None:
    async with on_stage(Script(dict(ROAD))) as stage:
        shown = await ask(stage)
        await stage.fake.push(stage.fake.pushes.press("wu", shown.card, key_of(shown, "nlp"), group=GROUP))
        await stage.fake.until(lambda: stage.fake.updates)
        update = stage.fake.updates[0][1]
        assert update["userids"] == ["wu"]
        assert len(update["template_card"]["button_list"]) == 2
        await stage.quiet()
        assert len(stage.road.heard) == 1


async def test_options_for_all_may_be_pressed_by_all() -> None:
    shared = question("Who knows?", "budget", "1000", "2000", decision="answer", shared=True)
    async with on_stage(Script({"which?": shared})) as stage:
        shown_text = await ask(stage)
        shown = await stage.fake.answer(GROUP, 2)
        assert shown_text.text.startswith("Who knows?")
        assert shown.pushed
        await stage.fake.push(stage.fake.pushes.press("wu", shown.card, key_of(shown, "2000"), group=GROUP))
        await until(lambda: len(stage.road.heard) == 2)
        assert (stage.road.heard[1].user_id, stage.road.heard[1].action) == ("wu", f"set:budget=2000#{CASE}")


@pytest.mark.parametrize("spoil", ["other chat", "other key", "no signature", "nothing"])
async def test_forged_presses_do_nothing(spoil: str, caplog: pytest.LogCaptureFixture) -> None:
    async with on_stage(Script(dict(ROAD))) as stage:
        shown = await ask(stage)
        key = key_of(shown, "nlp")
        group = "wr-group-2" if spoil == "other chat" else GROUP
        forged = {"other key": key.replace("nlp", "cv"), "no signature": "set:task=nlp", "nothing": ""}.get(spoil, key)
        await stage.fake.push(stage.fake.pushes.press("lin", shown.card, forged, group=group))
        await stage.fake.say("lin", "the end")
        await stage.fake.answer("lin")
        await stage.quiet()
        assert [message.text for message in stage.road.heard] == ["which?", "the end"]
        assert stage.fake.updates == []
        assert "wrong signature" in caplog.text


async def test_a_double_click_is_answered_once_and_a_later_press_again() -> None:
    async with on_stage(Script(dict(ROAD))) as stage:
        shown = await ask(stage)
        for _ in range(2):
            await stage.fake.push(stage.fake.pushes.press("lin", shown.card, key_of(shown, "nlp"), group=GROUP))
        await stage.fake.until(lambda: len(stage.fake.updates) == 2)
        await stage.quiet()
        assert len(stage.road.heard) == 2
        await stage.fake.push(stage.fake.pushes.press("lin", shown.card, key_of(shown, "cv"), group=GROUP))
        await until(lambda: len(stage.road.heard) == 3)


async def test_many_options_come_as_a_selector_which_is_locked_afterwards() -> None:
    many = question("Which card?", "gpu", *(f"card {number}" for number in range(9)))
    async with on_stage(Script({"which?": many})) as stage:
        shown = await ask(stage)
        select = shown.card["select_list"][0]
        assert shown.card["card_type"] == "multiple_interaction"
        picked = select["option_list"][4]["id"]
        submit = shown.card["submit_button"]["key"]
        await stage.fake.push(stage.fake.pushes.press("lin", shown.card, submit, group=GROUP, picked=picked))
        await until(lambda: len(stage.road.heard) == 2)
        assert stage.road.heard[1].action == f"set:gpu=card 4#{CASE}"
        await stage.fake.until(lambda: stage.fake.updates)
        locked = stage.fake.updates[0][1]["template_card"]["select_list"][0]
        assert (locked["disable"], locked["selected_id"]) == (True, picked)


async def test_long_options_stand_beside_letters() -> None:
    choices = tuple(Choice(label=f"a rather long way to say {name}", key=f"ask:{name}") for name in ("rent", "buy"))
    clarify = Reply(decision="clarify", language="en", text="What do you mean?", choices=choices, case=CASE)
    async with on_stage(Script({"which?": clarify})) as stage:
        shown = await ask(stage)
        assert [line["keyname"] for line in shown.card["horizontal_content_list"]] == ["A", "B"]
        await stage.fake.push(stage.fake.pushes.press("lin", shown.card, key_of(shown, "B"), group=GROUP))
        await until(lambda: len(stage.road.heard) == 2)
        assert stage.road.heard[1].action == "ask:buy"
        await stage.fake.until(lambda: stage.fake.updates)
        assert "say buy" in stage.fake.updates[0][1]["template_card"]["sub_title_text"]


async def test_a_question_too_long_for_a_card_lists_its_options() -> None:
    long = question("Which one? " + "Because it matters. " * 12, "task", "nlp", "cv")
    async with on_stage(Script({"which?": long})) as stage:
        shown = await ask(stage)
        assert shown.card == {}
        assert "- nlp\n- cv" in shown.text


async def test_a_button_outlives_a_restart_without_what_the_store_kept() -> None:
    async with on_stage(Script(dict(ROAD))) as stage:
        shown = await ask(stage)
        await stage.replica.store.delete(f"wecom:card:{shown.card['task_id']}")
        await stage.fake.push(stage.fake.pushes.press("lin", shown.card, key_of(shown, "nlp"), group=GROUP))
        answered = await stage.fake.answer(GROUP, 2)
        assert answered.text.startswith("take a 4090")
        assert stage.fake.updates == []


@pytest.mark.parametrize(("kind", "action"), [(1, "do:good"), (2, "do:bad")])
async def test_verdicts_count_and_are_not_answered(kind: int, action: str) -> None:
    async with on_stage(Script({"which?": answer("24 GiB")})) as stage:
        shown = await ask(stage)
        await stage.fake.push(stage.fake.pushes.feedback("lin", shown.feedback, kind, group=GROUP))
        await until(lambda: len(stage.road.heard) == 2)
        await stage.quiet()
        assert stage.road.heard[1].action == f"{action}#{CASE}"
        assert len(stage.fake.shown) == 1


async def test_a_withdrawn_or_forged_verdict_counts_nothing() -> None:
    async with on_stage(Script({"which?": answer("24 GiB")})) as stage:
        shown = await ask(stage)
        await stage.fake.push(stage.fake.pushes.feedback("lin", shown.feedback, 3, group=GROUP))
        await stage.fake.push(stage.fake.pushes.feedback("lin", "AAAAAAAAAAAA.:do:feedback", 1, group=GROUP))
        await stage.fake.say("lin", "the end")
        await stage.fake.answer("lin")
        assert len(stage.road.heard) == 2


async def test_event_fields_as_the_tables_print_them_are_understood() -> None:
    async with on_stage(Script(dict(ROAD))) as stage:
        shown = await ask(stage)
        press = stage.fake.pushes.press("lin", shown.card, key_of(shown, "nlp"), group=GROUP)
        nested = press["event"].pop("template_card_event")
        flat = press | {"event": {**press["event"], "event_key": nested["event_key"], "task_id": nested["task_id"]}}
        flat["event"]["template_card_event"] = {"task_id": nested["task_id"], "eventkey": nested["event_key"]}
        await stage.fake.push(flat)
        await stage.fake.answer(GROUP, 2)
        assert stage.road.heard[-1].action == f"set:task=nlp#{CASE}"


async def test_the_fake_refuses_what_comes_after_five_seconds() -> None:
    async with on_stage(Script(dict(ROAD))) as stage:
        link = stage.replica.channel._live()
        assert link is not None
        req_id = await stage.fake.push(stage.fake.pushes.event("lin", "brand_new_event"))
        stage.fake._asked[req_id].push["event"]["eventtype"] = "enter_chat"
        await stage.clock.advance(6)
        with pytest.raises(Exception, match=str(INVALID_REQ_ID)):
            await link.request("aibot_respond_welcome_msg", req_id, {"msgtype": "text", "text": {"content": "late"}})
