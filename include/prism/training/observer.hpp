// SPDX-License-Identifier: BSD-3-Clause
// Observers of training. An observer has one or more of these members, and those it has are called
// (progress.hpp is one):
//   void begin(const FitInfo&);  or  void begin(const FitInfo&, const Model&);
//   void batch(const EpochProgress&);
//   void epoch(const EpochRecord&);  or  void epoch(const EpochRecord&, const Model&);
//   void end(const History&);
// On a device, the model has the weights of the last step in the calls that take it. begin() is
// called by fit and run, and by a session's first step outside run; the model may then have
// deferred steps. batch() and epoch() may return a StopRequest instead of void: if it asks for a
// stop, training stops there and keeps its best weights and its history.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "prism/core/config.hpp"
#include "prism/training/history.hpp"

namespace prism {

/// Whether an observer lets training continue.
enum class StopRequest {
  none,  ///< continue
  stop,  ///< stop before the next step
};

}  // namespace prism

namespace prism::inline PRISM_ISA {

/// What training is about to do.
struct FitInfo {
  std::string model;    ///< the policies' names
  std::size_t pairs;    ///< training interactions
  std::size_t epochs;   ///< at most
  std::size_t k;        ///< length of the top-k lists in validation
  bool has_validation;  ///< whether there is a validation set
  double learning_rate;
  std::size_t batch_size;       ///< pairs per step
  std::string metric = "NDCG";  ///< the validation metric
  bool constant_rate = true;    ///< whether every step has this learning rate
  /// Problems found before training begins; History::warnings has them too.
  std::vector<std::string> warnings{};
  std::size_t epochs_done = 0;  ///< before this call of fit, run or resume
};

/// The progress of an epoch.
struct EpochProgress {
  std::size_t epoch;        ///< from 1
  std::size_t pairs;        ///< done
  std::size_t total_pairs;  ///< of the epoch
  double seconds;           ///< since the epoch began
};

/// Observes nothing and shows nothing.
struct Silent {
  /// Declares that an observer without any of the members is intended.
  static constexpr bool observes_nothing = true;
};

namespace detail {

template <class Result>
concept CallbackResult = std::is_void_v<Result> || std::same_as<Result, StopRequest>;

template <class O, class Model>
concept BeginTakesModel =
    requires(O& observer, const FitInfo& info, const Model& model) { observer.begin(info, model); };
template <class O, class Model>
concept ObservesBegin = BeginTakesModel<O, Model> ||
                        requires(O& observer, const FitInfo& info) { observer.begin(info); };
template <class O>
concept ObservesBatch = requires(O& observer, const EpochProgress& progress) {
  { observer.batch(progress) } -> CallbackResult;
};
template <class O, class Model>
concept EpochTakesModel = requires(O& observer, const EpochRecord& record, const Model& model) {
  { observer.epoch(record, model) } -> CallbackResult;
};
template <class O, class Model>
concept ObservesEpoch =
    EpochTakesModel<O, Model> || requires(O& observer, const EpochRecord& record) {
      { observer.epoch(record) } -> CallbackResult;
    };
template <class O>
concept ObservesEnd = requires(O& observer, const History& history) { observer.end(history); };

// Whether O has a member of that name, whatever it takes. Templates and overloads are not detected.
template <class O>
concept HasBegin = requires { &O::begin; };
template <class O>
concept HasBatch = requires { &O::batch; };
template <class O>
concept HasEpoch = requires { &O::epoch; };
template <class O>
concept HasEnd = requires { &O::end; };

/// Whether every member that has the name of a callback has its arguments and return type.
template <class O, class Model>
concept CallbacksFit =
    (!HasBegin<O> || ObservesBegin<O, Model>) && (!HasBatch<O> || ObservesBatch<O>) &&
    (!HasEpoch<O> || ObservesEpoch<O, Model>) && (!HasEnd<O> || ObservesEnd<O>);

}  // namespace detail

/// Whether O, not a reference type, can observe the training of a Model: it has one of the members
/// above or declares observes_nothing, and has none that would silently not be called.
template <class O, class Model>
concept Observer = std::is_class_v<O> && detail::CallbacksFit<O, Model> &&
                   (detail::ObservesBegin<O, Model> || detail::ObservesBatch<O> ||
                    detail::ObservesEpoch<O, Model> || detail::ObservesEnd<O> ||
                    requires { requires O::observes_nothing; });

namespace detail {

/// Does not compile, with a clear message, if an argument is not an observer.
template <class Model, class... Observers>
constexpr void check_observers() {
  constexpr std::size_t count = sizeof...(Observers);
  constexpr bool is_observer[] = {Observer<std::remove_reference_t<Observers>, Model>..., true};
  constexpr auto fits = [=](std::size_t k) { return is_observer[std::min(k, count)]; };
  constexpr bool first = fits(0), second = fits(1), third = fits(2);
  static_assert(first,
                "fit, run: observer 1 (the argument after the options) is not an observer: "
                "prism/training/observer.hpp lists the members begin, batch, epoch and end");
  static_assert(second,
                "fit, run: observer 2 is not an observer: prism/training/observer.hpp lists the "
                "members begin, batch, epoch and end");
  static_assert(third,
                "fit, run: observer 3 is not an observer: prism/training/observer.hpp lists the "
                "members begin, batch, epoch and end");
  static_assert((Observer<std::remove_reference_t<Observers>, Model> && ...),
                "fit, run: an argument is not an observer: prism/training/observer.hpp lists the "
                "members begin, batch, epoch and end");
}

/// Calls an observer's member. Returns whether it asks for a stop.
template <class Call>
bool call_observer(const Call& call) {
  if constexpr (std::is_void_v<decltype(call())>) {
    call();
    return false;
  } else {
    return call() == StopRequest::stop;
  }
}

/// A type-erased observer with the model that it observes. Members that it lacks are null; batch
/// and epoch return whether it asks for a stop.
struct ObserverRef {
  void* observer;
  const void* model;
  void (*begin)(const ObserverRef&, const FitInfo&) = nullptr;
  bool (*batch)(const ObserverRef&, const EpochProgress&) = nullptr;
  bool (*epoch)(const ObserverRef&, const EpochRecord&) = nullptr;
  void (*end)(const ObserverRef&, const History&) = nullptr;
  bool begin_takes_model = false;
  bool epoch_takes_model = false;
};
using ObserverRefs = std::span<const ObserverRef>;

/// @param observer, model  must outlive the reference
template <class O, class Model>
[[nodiscard]] ObserverRef observer_ref(O& observer, const Model& model) {
  static constexpr auto observer_of = [](const ObserverRef& ref) -> O& {
    return *static_cast<O*>(ref.observer);
  };
  static constexpr auto model_of = [](const ObserverRef& ref) -> const Model& {
    return *static_cast<const Model*>(ref.model);
  };
  ObserverRef ref{const_cast<void*>(static_cast<const void*>(std::addressof(observer))), &model};
  if constexpr (ObservesBegin<O, Model>) {
    ref.begin_takes_model = BeginTakesModel<O, Model>;
    ref.begin = [](const ObserverRef& self, const FitInfo& info) {
      if constexpr (BeginTakesModel<O, Model>) {
        observer_of(self).begin(info, model_of(self));
      } else {
        observer_of(self).begin(info);
      }
    };
  }
  if constexpr (ObservesBatch<O>) {
    ref.batch = [](const ObserverRef& self, const EpochProgress& progress) {
      return call_observer([&] { return observer_of(self).batch(progress); });
    };
  }
  if constexpr (ObservesEpoch<O, Model>) {
    ref.epoch_takes_model = EpochTakesModel<O, Model>;
    ref.epoch = [](const ObserverRef& self, const EpochRecord& record) {
      return call_observer([&] {
        if constexpr (EpochTakesModel<O, Model>) {
          return observer_of(self).epoch(record, model_of(self));
        } else {
          return observer_of(self).epoch(record);
        }
      });
    };
  }
  if constexpr (ObservesEnd<O>) {
    ref.end = [](const ObserverRef& self, const History& history) {
      observer_of(self).end(history);
    };
  }
  return ref;
}

}  // namespace detail
}  // namespace prism::inline PRISM_ISA
