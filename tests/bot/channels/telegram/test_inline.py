"""Inline mode: finished answers in any chat."""

from __future__ import annotations

from tests.fakes.stage import Script, answer, echo, on_stage, question


async def test_a_query_gets_its_answer_the_open_choices_and_what_to_ask_next() -> None:
    clarified = question("Which one?", "gpu", "A100 40GB", "A100 80GB").model_copy(
        update={"suggestions": ("A100 rental price",)}
    )
    road = Script(
        {
            "what about the a100": clarified,
            "set:gpu=A100 40GB": answer("**40 GiB**, 1555 GB/s"),
            "set:gpu=A100 80GB": answer("**80 GiB**, 2039 GB/s"),
            "A100 rental price": answer("about $1.5 per hour"),
        }
    )
    async with on_stage(road) as stage:
        lin = stage.fake.user(11)
        query = await stage.fake.inline(lin, "what about the a100")
        await stage.fake.until(lambda: query in stage.fake.inline_answers)
        given = stage.fake.inline_answers[query]
        titles = [result["title"] for result in given["results"]]
        assert titles == ["Which one?", "A100 40GB", "A100 80GB", "A100 rental price"]
        texts = [result["input_message_content"]["message_text"] for result in given["results"]]
        assert texts[1].startswith("<b>40 GiB</b>")
        assert given["is_personal"] is False
        assert given["cache_time"] == 300
        assert {heard.channel for heard in stage.road.heard} == {"telegram-inline"}


async def test_at_most_ten_results_and_none_twice() -> None:
    many = tuple(f"next {number}" for number in range(30))
    road = Script({"which cards are there": echo("x").model_copy(update={"suggestions": (*many, *many)})})
    async with on_stage(road) as stage:
        lin = stage.fake.user(11)
        query = await stage.fake.inline(lin, "which cards are there")
        await stage.fake.until(lambda: query in stage.fake.inline_answers)
        results = stage.fake.inline_answers[query]["results"]
        assert len(results) == 10
        assert len({result["id"] for result in results}) == 10


async def test_an_empty_query_shows_examples_in_the_users_language() -> None:
    async with on_stage() as stage:
        lin = stage.fake.user(11, language="zh-hans")
        query = await stage.fake.inline(lin, "  ")
        await stage.fake.until(lambda: query in stage.fake.inline_answers)
        given = stage.fake.inline_answers[query]
        assert len(given["results"]) == 4
        assert "3090" in given["results"][0]["title"]
        assert given["is_personal"] is True
        assert given["cache_time"] > 300
        assert len({heard.conversation_key for heard in stage.road.heard}) == 4


async def test_results_are_personal_where_the_language_hangs_on_the_user() -> None:
    async with on_stage() as stage:
        lin = stage.fake.user(11)
        queries = {text: await stage.fake.inline(lin, text) for text in ("3090", "3090 多少钱", "price of the 3090")}
        await stage.fake.until(lambda: len(stage.fake.inline_answers) == 3)
        personal = {text: stage.fake.inline_answers[query]["is_personal"] for text, query in queries.items()}
        assert personal == {"3090": True, "3090 多少钱": False, "price of the 3090": False}


async def test_the_button_above_carries_the_question_into_the_private_chat() -> None:
    async with on_stage() as stage:
        lin = stage.fake.user(11)
        query = await stage.fake.inline(lin, "3090 vs 4090")
        await stage.fake.until(lambda: query in stage.fake.inline_answers)
        parameter = stage.fake.inline_answers[query]["button"]["start_parameter"]
        await stage.fake.say(lin, None, f"/start {parameter}")
        await stage.reply(lin)
        assert stage.road.heard[-1].text == "3090 vs 4090"


async def test_queries_share_no_context() -> None:
    async with on_stage() as stage:
        lin = stage.fake.user(11)
        for text in ("3090", "and the price"):
            query = await stage.fake.inline(lin, text)
            await stage.fake.until(lambda query=query: query in stage.fake.inline_answers)
        keys = [heard.conversation_key for heard in stage.road.heard]
        assert len(set(keys)) == 2


async def test_a_query_that_went_stale_harms_nothing() -> None:
    async with on_stage() as stage:
        lin = stage.fake.user(11)
        stage.fake.fail("answerInlineQuery", 400, "Bad Request: query is too old and response timeout expired")
        await stage.fake.inline(lin, "3090")
        await stage.fake.say(lin, None, "still there?")
        await stage.reply(lin)


async def test_inline_mode_can_be_switched_off() -> None:
    async with on_stage(telegram_inline=False) as stage:
        lin = stage.fake.user(11)
        await stage.fake.inline(lin, "3090")
        await stage.fake.say(lin, None, "still there?")
        await stage.reply(lin)
        await stage.quiet()
        assert stage.calls("answerInlineQuery") == []


async def test_hostile_words_stay_words_in_results() -> None:
    async with on_stage() as stage:
        lin = stage.fake.user(11)
        query = await stage.fake.inline(lin, "<b>x</b> & <script>")
        await stage.fake.until(lambda: query in stage.fake.inline_answers)
        text = stage.fake.inline_answers[query]["results"][0]["input_message_content"]["message_text"]
        assert "&lt;script&gt;" in text


async def test_choices_that_do_not_answer_are_left_out() -> None:
    again = question("And the count?", "gpu_count", "1", "2")
    road = Script({"what fits": question("Which model?", "model", "bert"), "set:model=bert": again})
    async with on_stage(road) as stage:
        lin = stage.fake.user(11)
        query = await stage.fake.inline(lin, "what fits")
        await stage.fake.until(lambda: query in stage.fake.inline_answers)
        assert [result["title"] for result in stage.fake.inline_answers[query]["results"]] == ["Which model?"]
