#include "load/result_text/group_ids.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/file.h"
#include "temporary_directory.h"
#include "trace/linked/collective_ops.h"
#include "trace/linked/collective_tasks.h"

namespace npuprof::load {
namespace {

namespace fs = std::filesystem;
using npuprof::testing::TemporaryDirectory;

class GroupIds : public ::testing::Test {
 protected:
  void add(std::string_view name, std::string_view group, std::uint16_t device = 0) {
    trace::CollectiveOps& ops = trace_.collective_ops();
    trace::resize_rows(ops, ops.size() + 1);
    ops.name.back() = trace_.strings.intern(name);
    ops.group.back() = trace_.strings.intern(group);
    ops.device.back() = device;
    trace::CollectiveTasks& parts = trace_.collective_tasks();
    trace::resize_rows(parts, parts.size() + 1);
    parts.op.back() = static_cast<std::uint32_t>(ops.size() - 1);
    parts.group.back() = ops.group.back();
  }
  fs::path file(const std::string& name, const std::string& text) {
    const fs::path path = directory_ / name;
    EXPECT_TRUE(write_file(path, text).ok());
    return path;
  }
  std::vector<std::string> replaced(const std::vector<fs::path>& files) {
    replace_group_numbers(files, trace_, losses_);
    std::vector<std::string> groups;
    for (std::size_t i = 0; i < trace_.collective_ops().size(); ++i) {
      groups.emplace_back(trace_.strings.view(trace_.collective_ops().group[i]));
      EXPECT_EQ(trace_.collective_tasks().group[i], trace_.collective_ops().group[i]);
    }
    return groups;
  }
  using Groups = std::vector<std::string>;

  TemporaryDirectory directory_;
  trace::Trace trace_;
  trace::Losses losses_;
};

constexpr const char* kTimes = R"({"step5": {"p2p": {"hcom_send__321_0_1@7654321": {}},
  "collective": {"hcom_allReduce__586_0_1@175586": {"Communication Time Info": {"Wait": 1}},
                 "Total Op Info": {}}}})";

TEST_F(GroupIds, AreTakenFromTheFilesBeside) {
  add("hcom_allReduce__586_0_1", "0");
  add("hcom_allReduce__586_1_1", "0");  // Not in the file, but of the same group.
  add("hcom_send__321_0_1", "1");
  EXPECT_EQ(replaced({file("communication.json", kTimes)}),
            (Groups{"175586", "175586", "7654321"}));
}

TEST_F(GroupIds, AreTakenFromTheMatrix) {
  add("hcom_allReduce__586_2_1", "0");
  EXPECT_EQ(replaced({file("communication_matrix.json",
                           R"json({"step": {"collective": {"allreduce-top1@175586":
        {"0-1": {"Transit Size(MB)": 1, "Op Name": "hcom_allReduce__586_2_1"}
}
}
}
})json")}),
            Groups{"175586"});
}

TEST_F(GroupIds, AreTheDigitsOfTheNamesIfNothingElseIsKnown) {
  add("hcom_allReduce__586_0_1", "0");
  add("hcom_allReduce__586_0_1", "3", 1);
  add("no such form", "2");
  EXPECT_EQ(replaced({}), (Groups{"586", "586", "2"}));
}

TEST_F(GroupIds, StayWhereTheTimelineHasThem) {
  add("hcom_allReduce__586_0_1", "175586");
  add("hcom_allReduce__586_0_1", "a name");
  EXPECT_EQ(replaced({directory_ / "is not even opened"}), (Groups{"175586", "a name"}));
  EXPECT_TRUE(losses_.empty());
}

// The vendor's own hash of this name is known from a database of the same run.
TEST_F(GroupIds, LeadToTheNameOfTheCommunicator) {
  const std::string name = "90.91.105.46%enp189s0f0_60000_0_1736410538306028";
  trace_.session.profiler_metadata =
      R"({"parallel_group_info": {")" + name + R"(": {"group_name": "dp", "global_ranks": [0]}}})";
  add("hcom_allReduce__210_0_1", "0");
  EXPECT_EQ(replaced({file("communication.json",
                           R"({"hcom_allReduce__210_0_1@17148521525495523210": {}})")}),
            Groups{"17148521525495523210"});
  EXPECT_EQ(trace_.strings.view(trace_.collective_ops().group_name[0]), name);
}

TEST_F(GroupIds, DamagedFilesAreReported) {
  for (const std::string& text :
       {std::string("{"), std::string(R"([1, "a@2"])"),
        std::string(R"({"hcom_allReduce__586_0_1@586": [3]})"), std::string(1000, '[')}) {
    trace_ = {};
    add("hcom_allReduce__586_0_1", "0");
    EXPECT_EQ(replaced({file("communication.json", text)}), Groups{"586"});
  }
  EXPECT_EQ(losses_.items().size(), 2u);
}

}  // namespace
}  // namespace npuprof::load
