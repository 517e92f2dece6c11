# SPDX-License-Identifier: BSD-3-Clause
"""Models train, answer, and are saved as in C++."""

import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest
from conftest import quiet_fit

import prismcf as pr


def test_lists_have_ids_and_scores(split, trained):
    ids, scores = trained.recommend([3, 17], k=5)
    assert ids.shape == scores.shape == (2, 5)
    assert ids.dtype == np.int64 and scores.dtype == np.float32
    assert (np.diff(scores, axis=1) <= 0).all()
    seen = split.train.to_csr()
    assert not seen[3, ids[0]].toarray().any()
    everyone, _ = trained.recommend(k=5)
    assert np.array_equal(everyone[[3, 17]], ids)


def test_scores_are_the_products_of_factors(trained):
    ids, scores = trained.recommend([3], k=4, exclude_seen=False)
    expected = trained.user_factors[3] @ trained.item_factors.T
    assert np.allclose(scores[0], np.sort(expected)[::-1][:4], rtol=1e-5)
    with pytest.raises(ValueError):
        trained.item_factors[0, 0] = 1


def test_lists_are_restricted(trained):
    allowed = [1, 2, 3, 5, 8]
    ids, scores = trained.recommend([3], k=10, among=allowed, exclude_seen=False)
    assert set(ids[0][:5]) == set(allowed)
    assert (ids[0][5:] == -1).all() and np.isnan(scores[0][5:]).all()
    first = trained.recommend([3], k=1)[0][0, 0]
    assert first not in trained.recommend([3], k=20, without=[first])[0]
    with pytest.raises(KeyError, match="no item 1000"):
        trained.recommend([3], among=[1000])
    with pytest.raises(KeyError, match="no user 'x'"):
        trained.recommend(["x"])
    with pytest.raises(TypeError, match=r"\[3\]"):
        trained.recommend(3)
    for k in (0, -1, 2.0, True, None):
        with pytest.raises(ValueError, match="k must be an integer of at least 1"):
            trained.recommend([3], k=k)
    with pytest.raises(ValueError, match="too large"):
        trained.recommend([3, 17], k=2**63)
    assert trained.recommend([3], k=1000)[0].shape == (1, 1000)


def test_users_without_history_get_the_most_popular_items():
    data = pr.from_pairs(["a", "a", "b", "c", "c"], ["x", "y", "x", "x", "z"])
    model = quiet_fit(pr.Recommender(pr.MF(4), epochs=1), data)
    assert data.item_degree.tolist() == [3, 1, 1]
    with pytest.warns(UserWarning, match="1 users have no item that the model has"):
        ids, scores = model.recommend_to_new([["no such item"], ["y"]], k=3)
    assert ids[0].tolist() == ["x", "y", "z"] and scores[0].tolist() == [3, 1, 1]
    assert "y" not in ids[1].tolist()
    assert ids[1, 2] is None and np.isnan(scores[1, 2])


def test_users_of_the_test_set_alone():
    split = pr.given_split(
        pr.from_pairs(["a", "a", "b", "c", "c"], ["x", "y", "x", "x", "z"]),
        pr.from_pairs(["d"], ["x"]),
        validation=0,
    )
    model = quiet_fit(pr.Recommender(pr.MF(4), epochs=1), split)
    ids, scores = model.recommend(["d"], k=3)
    assert ids[0].tolist() == ["x", "y", "z"] and scores[0].tolist() == [3, 1, 1]
    assert not np.array_equal(model.recommend(["d"], k=3, untrained="rows")[1], scores)
    with pytest.raises(ValueError, match="1 users have no interaction in training, such as 'd'"):
        model.recommend(["a", "d"], untrained="raise")
    with pytest.raises(ValueError, match="untrained must be"):
        model.recommend(["d"], untrained="row")


def test_histories_as_a_matrix(split, trained):
    matrix = split.train.to_csr()[[3, 17]]
    ids, scores = trained.recommend_to_new(matrix, k=5)
    lists = [split.train.item_ids.array[row.indices] for row in matrix]
    assert np.array_equal(trained.recommend_to_new(lists, k=5)[0], ids)
    with pytest.raises(ValueError, match="column for each of the 90 items"):
        trained.recommend_to_new(matrix[:, :10])
    with pytest.raises(ValueError, match=r"histories\[0\]"):
        trained.recommend_to_new([[1.0, 2.0]])


def test_cosine_ranks_by_direction_alone(trained):
    ids, cosines = trained.recommend([3], k=5, similarity="cosine", exclude_seen=False)
    rows = trained.item_factors / np.linalg.norm(trained.item_factors, axis=1, keepdims=True)
    user = trained.user_factors[3] / np.linalg.norm(trained.user_factors[3])
    assert np.allclose(cosines[0], np.sort(rows @ user)[::-1][:5], atol=1e-5)
    with pytest.raises(ValueError, match="similarity"):
        trained.recommend([3], similarity="euclidean")


def test_neighbours_leave_themselves_out(trained):
    ids, cosines = trained.similar_items([4, 9], k=6)
    assert 4 not in ids[0] and 9 not in ids[1]
    assert (cosines <= 1.001).all() and (np.diff(cosines, axis=1) <= 0).all()
    rows = trained.item_factors / np.linalg.norm(trained.item_factors, axis=1, keepdims=True)
    assert np.allclose(cosines[0], np.sort(np.delete(rows @ rows[4], 4))[::-1][:6], atol=1e-5)
    users, _ = trained.similar_users([3], k=2)
    assert users.shape == (1, 2) and 3 not in users


def test_history_and_report(split, trained):
    assert [epoch["epoch"] for epoch in trained.history_["epochs"]] == [1, 2, 3, 4]
    assert trained.history_["stop_reason"] == "epochs"
    best = trained.history_["best_epoch"]
    report = trained.evaluate(split.validation)
    assert report.ndcg == trained.history_["epochs"][best - 1]["validation"]
    parts = report.ndcg_popular + report.ndcg_neutral + report.ndcg_unpopular
    assert report.ndcg == pytest.approx(parts)
    assert (
        trained.evaluate(split).ndcg
        == trained.evaluate(split.test, exclude=[split.validation]).ndcg
    )


def test_evaluation_refuses_what_would_be_measured_wrongly(split, trained):
    with pytest.raises(ValueError, match="training set"):
        trained.evaluate(split.train)
    with pytest.raises(ValueError, match="left out"):
        trained.evaluate(split.test, exclude=[split.test])
    users, items = split.test.pairs()
    renumbered = pr.from_pairs(split.test.user_ids.array[users], split.test.item_ids.array[items])
    with pytest.raises(ValueError, match="same order"):
        trained.evaluate(renumbered)
    with pytest.raises(TypeError, match="relevant must be Interactions"):
        trained.evaluate([1, 2])


def test_metrics_of_each_user_have_the_means_of_the_report(split, trained):
    report, users = trained.evaluate(split), trained.evaluate_users(split)
    assert len(users["users"]) == report.users == len(set(users["users"]))
    for name, mean in (("ndcg", report.ndcg), ("recall", report.recall), ("hit", report.hit_rate)):
        assert users[name].mean() == pytest.approx(mean)
    one = list(users["users"]).index(3)
    relevant = split.test.to_csr()[3].indices
    model = trained.model_
    seen = split.validation.to_csr()[3].indices
    found = model.recommend([3], k=20, without=[i for i in seen if model.train.item_degree[i]])[0][
        0
    ]
    assert users["recall"][one] == pytest.approx(len(set(found) & set(relevant)) / len(relevant))


@pytest.mark.parametrize(
    "loss", [pr.SSM(), pr.MACR(), pr.BPR()], ids=lambda loss: loss.policy_name()
)
def test_scores_of_pairs_are_those_of_lists(split, loss):
    model = quiet_fit(pr.Recommender(pr.MF(8), loss, epochs=2, learning_rate=0.01), split)
    ids, scores = model.recommend([3, 17], k=5)
    assert np.allclose(model.scores([3] * 5 + [17] * 5, ids.ravel()), scores.ravel(), rtol=1e-4)
    with pytest.raises(ValueError, match="an item for each"):
        model.scores([3, 17], [1])


def test_retraining_keeps_what_validation_chose(split):
    model = quiet_fit(pr.Recommender(pr.MF(8), epochs=8), split)
    again = model.retrain(split)
    assert len(again.history_["epochs"]) == model.history_["best_epoch"]
    assert again.model_.ranking.power == model.history_["best_chosen"]
    assert len(again.model_.train) == len(split.train) + len(split.validation)
    assert model.model_.ranking.power == model.history_["best_chosen"]
    assert again.recommend([3], k=2)[0].shape == (1, 2)
    with pytest.raises(AttributeError, match="fit"):
        pr.Recommender().retrain(split)
    with pytest.raises(AttributeError, match="not a copy"):
        again.retrain(split)
    model.set_params(learning_rate=0.3)
    assert np.array_equal(model.retrain(split).item_factors, again.item_factors)


@pytest.mark.parametrize(
    "parameters, error",
    [
        ({"epochs": 2.0}, "epochs must be an integer"),
        ({"epochs": -1}, "epochs must be an integer of at least 1"),
        ({"batch_size": 128.0}, "batch_size"),
        ({"seed": None}, "seed"),
        ({"seed": -1}, "seed"),
        ({"learning_rate": "x"}, "learning_rate must be a number"),
        ({"threads": -1}, "threads"),
        ({"metric": "auc"}, "metric"),
        ({"schedule": "step"}, "schedule"),
        ({"backbone": pr.MF(-1)}, "dim"),
        ({"ranking": pr.Ranking(power="x")}, "power must be a number"),
        ({"ranking": pr.Ranking(power=[])}, "power must be a number"),
    ],
)
def test_parameters_that_are_wrong_are_named(split, parameters, error):
    with pytest.raises(ValueError, match=error):
        pr.Recommender(**{"epochs": 1, **parameters}).fit(split)


def test_parameters_of_the_wrong_kind_are_type_errors(split):
    for parameters in (
        {"loss": None},
        {"backbone": "MF"},
        {"optimizer": None},
        {"ranking": "power"},
    ):
        with pytest.raises(TypeError, match=next(iter(parameters))):
            pr.Recommender(**parameters).fit(split)
    assert quiet_fit(
        pr.Recommender(pr.MF(4), ranking=pr.Ranking(power=np.float32(0.5)), epochs=1), split
    ).model_.ranking == pr.Ranking(power=0.5)


def test_items_are_ranked_with_magnitudes_of_a_table(trained):
    model = trained.model_
    degree = model.train.item_degree
    by_table = model.with_ranking(pr.Ranking(magnitudes=np.sqrt(degree + 1.0)))
    by_power = model.with_ranking(pr.Ranking(power=0.5))
    assert np.array_equal(by_table.recommend([3], k=9)[0], by_power.recommend([3], k=9)[0])
    assert by_table.ranking == pr.Ranking(magnitudes=tuple(np.sqrt(degree + 1.0)))
    again = model.with_ranking(by_table.ranking)
    assert np.array_equal(again.item_factors, by_table.item_factors)
    users = model.with_ranking(pr.Ranking(power=0.5, users=True))
    assert users.ranking.users
    assert np.array_equal(users.recommend([3], k=9)[0], by_power.recommend([3], k=9)[0])
    assert not np.array_equal(users.recommend([3], k=9)[1], by_power.recommend([3], k=9)[1])
    for wrong in ([], "12", 3.0):
        with pytest.raises(ValueError, match="magnitudes must have a number for each item"):
            pr.Ranking(magnitudes=wrong)
    with pytest.raises(TypeError, match="users must be True or False"):
        pr.Ranking(power=0.5, users="no")
    with pytest.raises(ValueError, match="only one of power and magnitudes"):
        model.with_ranking(pr.Ranking(power=0.5, magnitudes=[1.0]))
    with pytest.raises(ValueError, match="must have one number for each of the"):
        model.with_ranking(pr.Ranking(magnitudes=[1.0, 2.0]))


def test_training_goes_on_from_an_earlier_model(split, tmp_path):
    earlier = pr.Recommender(pr.MF(8), pr.SSM(), epochs=3, learning_rate=0.01).fit(split)
    earlier.save(tmp_path / "earlier")
    again = pr.Recommender(pr.MF(8), pr.SSM(), epochs=1, learning_rate=0.01)
    losses = [
        again.fit(split, warm_start=start).history_["epochs"][0]["loss"]
        for start in (None, earlier, earlier.model_, tmp_path / "earlier")
    ]
    assert losses[1] < losses[0]
    assert losses[1] == losses[2] == losses[3]
    with pytest.raises(ValueError, match="must have the backbone MF<8>"):
        pr.Recommender(pr.MF(4), pr.SSM(), epochs=1).fit(split, warm_start=earlier)
    with pytest.raises(TypeError, match="warm_start must be a Recommender"):
        again.fit(split, warm_start=3)


def test_the_same_seed_gives_the_same_bits_for_any_number_of_threads(split):
    factors = [
        quiet_fit(pr.Recommender(pr.MLP(8), epochs=2, threads=threads), split).item_factors
        for threads in (1, 2, None)
    ]
    assert np.array_equal(factors[0], factors[1]) and np.array_equal(factors[0], factors[2])


def test_another_ranking_needs_no_training(trained):
    popular = trained.model_.with_ranking(pr.Ranking(power=2.0))
    assert not np.array_equal(popular.item_factors, trained.item_factors)
    degree = trained.model_.train.item_degree
    norms = np.linalg.norm(popular.item_factors, axis=1)
    assert np.allclose(norms, (degree + 1.0) ** 2, rtol=1e-4)
    assert np.array_equal(popular.user_factors, trained.user_factors)
    with pytest.raises(ValueError, match="chooses"):
        trained.model_.with_ranking(pr.Ranking.power_by_validation())
    for wrong in (None, 0.5, "power"):
        with pytest.raises(TypeError, match="ranking must be a Ranking"):
            trained.model_.with_ranking(wrong)
    with pytest.raises(ValueError, match="with_ranking"):
        popular.save("nowhere")


def test_saved_loaded_and_pickled_models_answer_the_same(trained, tmp_path):
    trained.save(tmp_path / "model")
    expected = trained.recommend([3, 17])
    for model in (pr.load(tmp_path / "model"), pickle.loads(pickle.dumps(trained))):
        ids, scores = model.recommend([3, 17])
        assert np.array_equal(ids, expected[0]) and np.array_equal(scores, expected[1])
    again = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(trained))))
    again.save(tmp_path / "again")
    loaded = pr.load(tmp_path / "again")
    loaded.save(tmp_path / "copy")
    for model in (pickle.loads(pickle.dumps(loaded)), pr.load(tmp_path / "copy")):
        assert np.array_equal(model.recommend([3, 17])[0], expected[0])
    assert np.array_equal(again.recommend([3, 17])[0], expected[0])
    # Another model in the folder's place.
    quiet_fit(pr.Recommender(pr.MF(8), epochs=1), trained.model_.train).save(tmp_path / "copy")
    assert np.array_equal(loaded.recommend([3, 17])[0], expected[0])
    pr.load(tmp_path / "again").save(tmp_path / "copy")
    other = pr.load(tmp_path / "copy")
    quiet_fit(pr.Recommender(pr.MF(8), epochs=1), trained.model_.train).save(tmp_path / "copy")
    with pytest.raises(ValueError, match="has changed since"):
        pickle.dumps(other)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    with pytest.raises(ValueError, match="another kind"):
        pr.load(tmp_path / "again").save(tmp_path / "mine")
    with pytest.raises(OSError, match="nothing_here"):
        pr.load(tmp_path / "nothing_here")
    with pytest.raises(AttributeError, match="fit"):
        pr.Recommender().recommend([1])


def test_parameters_are_those_of_an_estimator():
    model = pr.Recommender(pr.MF(32), pr.SSM(tau=0.1), seed=7)
    params = model.get_params()
    assert params["loss__tau"] == 0.1 and params["backbone__dim"] == 32 and params["seed"] == 7
    model.set_params(loss__tau=0.3, epochs=5)
    assert model.loss == pr.SSM(tau=0.3) and model.epochs == 5
    copy = pr.Recommender(**model.get_params(deep=False))
    assert copy.get_params() == model.get_params()
    model.set_params(loss__tau=0.5, loss=pr.SSM(negatives=3))
    assert model.loss == pr.SSM(negatives=3, tau=0.5)
    model.set_params(loss=pr.SSM(tau=0.3))
    assert repr(pr.Recommender(pr.MF(32), seed=7)) == (
        "Recommender(backbone=MF(dim=32, dropout=0.0), seed=7)"
    )
    for name in ("losss", "loss__tua"):
        with pytest.raises(ValueError, match="but: "):
            model.set_params(**{name: 1})


def test_clone_of_scikit_learn():
    clone = pytest.importorskip("sklearn.base").clone
    model = pr.Recommender(pr.MF(16), pr.DirectAU(gamma=2.0))
    assert clone(model).get_params() == model.get_params()


def test_training_goes_on_from_a_checkpoint(split, tmp_path):
    model = lambda epochs: pr.Recommender(pr.MF(8), learning_rate=0.01, epochs=epochs)  # noqa: E731
    whole = quiet_fit(model(4), split)
    quiet_fit(model(2), split, checkpoint=tmp_path / "checkpoint")
    resumed = quiet_fit(model(4), split, checkpoint=tmp_path / "checkpoint")
    assert len(resumed.history_["epochs"]) == 4
    assert np.array_equal(whole.item_factors, resumed.item_factors)


def test_a_function_after_each_epoch_stops_training(split):
    seen = []

    def on_epoch(record):
        seen.append(record["validation"])
        return len(seen) == 2

    model = quiet_fit(pr.Recommender(pr.MF(8), epochs=9), split, on_epoch=on_epoch)
    assert len(seen) == len(model.history_["epochs"]) == 2
    assert model.history_["stop_reason"] == "observer"

    def broken(record):
        raise RuntimeError("of the function")

    with pytest.raises(RuntimeError, match="of the function"):
        pr.Recommender(pr.MF(8), epochs=9).fit(split, on_epoch=broken)


def test_control_c_leaves_the_best_weights(split):
    model = pr.Recommender(pr.MF(8), epochs=1_000_000, patience=1_000_000)
    timer = threading.Timer(1.0, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        model.fit(split)
    assert model.history_["stop_reason"] == "observer"
    assert model.recommend([3], k=2)[0].shape == (1, 2)


def test_other_threads_run_while_a_model_trains(split):
    """Counts only between the callbacks of two epochs, when Python has nothing to do for training."""
    counted, within = [0], []

    def on_epoch(record):
        within.append(counted[0])

    data = pr.random_split(pr.synthetic(users=2000, items=1500, interactions_per_user=30))
    model = pr.Recommender(pr.MF(64), pr.DirectAU(), epochs=3)
    thread = threading.Thread(target=quiet_fit, args=(model, data), kwargs={"on_epoch": on_epoch})
    thread.start()
    while thread.is_alive():
        counted[0] += 1
    assert len(within) == 3 and min(np.diff(within)) > 100


def test_training_without_a_split_needs_epochs(split):
    data = split.train
    with pytest.raises(ValueError, match="epochs"):
        pr.Recommender(pr.MF(8)).fit(data)
    assert len(quiet_fit(pr.Recommender(pr.MF(8), epochs=3), data).history_["epochs"]) == 3


def test_divergence_is_an_arithmetic_error(split):
    with pytest.raises(ArithmeticError):
        pr.Recommender(pr.MF(8), pr.BPR(), optimizer=pr.SGD(), learning_rate=1e30, epochs=50).fit(
            split
        )


def test_a_process_that_is_forked_after_training_recommends(trained):
    program = textwrap.dedent(
        """
        import os, prismcf as pr
        split = pr.random_split(pr.synthetic(users=120, items=90, interactions_per_user=12))
        model = pr.Recommender(pr.MF(8), epochs=2).fit(split)
        expected = model.recommend(k=5)[0]
        child = os.fork()
        if child == 0:
            os._exit(0 if (model.recommend(k=5)[0] == expected).all() else 1)
        raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        """
    )
    subprocess.run([sys.executable, "-W", "ignore", "-c", program], check=True, timeout=120)


def test_progress_is_shown_on_request(split, capsys):
    quiet_fit(pr.Recommender(pr.MF(8), epochs=2, verbose=True), split)
    shown = capsys.readouterr().err
    assert "MF<8>" in shown and "epoch 2: loss" in shown and "NDCG@20" in shown


def test_a_variant_that_is_not_installed_is_refused():
    environment = {**os.environ, "PRISMCF_VARIANT": "pentium"}
    done = subprocess.run(
        [sys.executable, "-c", "import prismcf"], env=environment, capture_output=True, text=True
    )
    assert "PRISMCF_VARIANT must be one of" in done.stderr
