// The rules by which runs that share memory follow one another, in a model of CUDA's streams, events and graphs: whatever is called,
// captured and launched, each run starts when all before it have ended.
#include "gpu/cuda/stream_order.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <vector>

namespace gpu {
namespace {

using Wait = OrderOfRuns::Wait;
using Runs = std::set<int>;  // that have ended

void add(Runs& to, const Runs& from) { to.insert(from.begin(), from.end()); }

// Streams are their numbers.
class Model {
 public:
  void call(unsigned long long stream) {
    auto& done = streams_[stream];
    const auto wait = order_.before({stream, 0});
    ASSERT_TRUE(wait == Wait::none || wait == Wait::direct);
    waits_ += wait == Wait::direct;
    if (wait == Wait::direct) add(done, event_);
    run(done);
    event_ = done;
    order_.after({stream, 0});
  }

  // A captured run: what it waits for, beside the run before it on its stream.
  struct Node {
    unsigned long long stream;
    bool waits_for_event;
    int other;  // the number of another node, or -1
  };
  using Graph = std::vector<Node>;
  // In a capture of several streams, which fork from one.
  void capture(Graph& graph, unsigned long long stream, unsigned long long capture) {
    const auto wait = order_.before({stream, capture});
    ASSERT_NE(wait, Wait::direct) << "a capture cannot wait for what runs now";
    graph.push_back({stream, wait == Wait::in_graph, wait == Wait::within_capture ? last_captured_ : -1});
    last_captured_ = static_cast<int>(graph.size()) - 1;
    order_.after({stream, capture});
  }
  void launch(const Graph& graph, unsigned long long stream) {
    auto& base = streams_[stream];
    std::vector<Runs> ended;
    std::map<unsigned long long, Runs> branches;
    const auto before_launch = event_;
    for (const auto& node : graph) {
      auto& done = branches.try_emplace(node.stream, base).first->second;
      if (node.waits_for_event) add(done, before_launch);
      if (node.other >= 0) add(done, ended[static_cast<std::size_t>(node.other)]);
      run(done);
      ended.push_back(done);
      event_ = done;
    }
    for (const auto& [branch, done] : branches) add(base, done);
  }
  int waits() const { return waits_; }

 private:
  void run(Runs& done) {
    ASSERT_EQ(static_cast<int>(done.size()), count_) << "it does not wait for all runs before it";
    done.insert(count_++);
  }

  OrderOfRuns order_;
  std::map<unsigned long long, Runs> streams_;
  Runs event_;
  int count_ = 0, last_captured_ = -1, waits_ = 0;
};

TEST(OrderOfRunsTest, CallsOnOneStreamWaitForNothing) {
  Model model;
  for (int i = 0; i < 5; ++i) model.call(7);
  EXPECT_EQ(model.waits(), 0);
  model.call(8);
  model.call(8);
  model.call(7);
  EXPECT_EQ(model.waits(), 2);
}

TEST(OrderOfRunsTest, CallsOnAnyStreams) {
  std::mt19937 random(3);
  for (int round = 0; round < 20; ++round) {
    Model model;
    for (int i = 0; i < 50; ++i) ASSERT_NO_FATAL_FAILURE(model.call(random() % 4));
  }
}

// The stream that captures is one that calls, too; captures have one to three streams.
TEST(OrderOfRunsTest, CallsAndLaunchesOfGraphsOnAnyStreams) {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    SCOPED_TRACE(round);
    Model model;
    std::vector<Model::Graph> graphs;
    unsigned long long captures = 0;
    for (int i = 0; i < 40; ++i) {
      const auto what = random() % 4;
      if (what == 0) {
        auto& graph = graphs.emplace_back();
        ++captures;
        const auto streams = 1 + random() % 3;
        for (auto runs = 1 + random() % 4; runs > 0; --runs)
          ASSERT_NO_FATAL_FAILURE(model.capture(graph, random() % streams, captures));
      } else if (what == 1 && !graphs.empty()) {
        ASSERT_NO_FATAL_FAILURE(model.launch(graphs[random() % graphs.size()], random() % 4));
      } else {
        ASSERT_NO_FATAL_FAILURE(model.call(random() % 4));
      }
    }
  }
}

// While one is captured, on another stream.
TEST(OrderOfRunsTest, CallsBetweenCapturedOnes) {
  Model model;
  Model::Graph graph;
  model.call(1);
  model.capture(graph, 2, 1);
  model.call(1);
  model.capture(graph, 2, 1);
  model.call(3);
  for (int i = 0; i < 3; ++i) {
    model.launch(graph, 2);
    model.call(1);
    model.launch(graph, 3);
  }
}

}  // namespace
}  // namespace gpu
