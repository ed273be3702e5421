#include "format/host/variable.h"

#include <random>

#include <gtest/gtest.h>

#include "format/host/layout_check.h"

namespace npuprof::format::host {
namespace {

using testing::expect_layout;

std::vector<std::byte> three_records() {
  std::vector<std::byte> file;
  for (std::uint32_t i = 0; i < 3; ++i) {
    CaptureOpHead head{.header = make_header(CaptureOpInfo::kVariableKind, 0, 1, 2),
                       .task_id = 100 + i};
    std::vector<Tensor> tensors(i * 4);
    for (Tensor& tensor : tensors) tensor.data_type = i;
    append_capture_op(file, head, tensors);
  }
  return file;
}

std::vector<std::uint32_t> tasks_in(Bytes file, std::size_t* lost) {
  std::vector<std::uint32_t> tasks;
  CaptureOpReader reader(file);
  while (reader.next()) {
    tasks.push_back(reader.head().task_id);
    for (const Tensor& tensor : reader.tensors()) EXPECT_LE(tensor.data_type, 2u);
  }
  *lost = reader.lost_bytes();
  return tasks;
}

TEST(CaptureOpInfo, HasItsFieldsInPlace) {
  expect_layout<CaptureOpHead>({{"capture_model_id", 24},
                                {"device", 28},
                                {"stream", 32},
                                {"task_id", 36},
                                {"task_type", 40},
                                {"blocks", 44},
                                {"op_name", 48},
                                {"op_type", 56},
                                {"attributes", 64},
                                {"op_flag", 80},
                                {"tensor_count", 84}});
  expect_layout<CaptureOpInfo>({{"tensor_count", 84}, {"tensors", 88}});
  EXPECT_EQ(CaptureOpInfo{.head = {.tensor_count = 99u}}.valid_tensors().size(), 3u);
  EXPECT_EQ(CaptureOpInfo::payload_length(2), 64u + 88u);
}

TEST(CaptureOpReader, ReadsBackWhatWasAppended) {
  const auto file = three_records();
  EXPECT_EQ(file.size(), 3 * 88 + 12 * 44u);
  std::size_t lost = 9;
  EXPECT_EQ(tasks_in(file, &lost), (std::vector<std::uint32_t>{100, 101, 102}));
  EXPECT_EQ(lost, 0u);

  std::vector<std::byte> again;
  CaptureOpReader reader(file);
  while (reader.next()) append_capture_op(again, reader.head(), reader.tensors());
  EXPECT_EQ(again, file);
}

TEST(CaptureOpReader, FindsTheNextRecordAfterDamage) {
  auto file = three_records();
  file.insert(file.begin() + 88, 17, std::byte{0x5A});
  std::size_t lost = 0;
  EXPECT_EQ(tasks_in(file, &lost), (std::vector<std::uint32_t>{100, 101, 102}));
  EXPECT_EQ(lost, 17u);
}

TEST(CaptureOpReader, DoesNotTrustLengths) {
  auto file = three_records();
  file[12] = std::byte{0xFF};  // The first record claims to reach beyond the file.
  file[15] = std::byte{0xFF};
  std::size_t lost = 0;
  EXPECT_EQ(tasks_in(file, &lost), (std::vector<std::uint32_t>{101, 102}));
  EXPECT_EQ(lost, 88u);

  file = three_records();
  file[84] = std::byte{0xFF};  // More tensors than its length holds.
  EXPECT_EQ(tasks_in(file, &lost), (std::vector<std::uint32_t>{101, 102}));
}

TEST(CaptureOpReader, SurvivesEveryCutAndRandomDamage) {
  const auto file = three_records();
  std::size_t lost = 0;
  for (std::size_t size = 0; size < file.size(); ++size) {
    const auto tasks = tasks_in(Bytes(file).first(size), &lost);
    EXPECT_LT(tasks.size(), 3u);
  }
  std::mt19937 random(3);
  for (int round = 0; round < 2000; ++round) {
    auto damaged = file;
    for (int i = 0; i < 4; ++i) damaged[random() % 88] = static_cast<std::byte>(random());
    CaptureOpReader reader(damaged);
    while (reader.next()) EXPECT_LE(reader.tensors().size_bytes(), damaged.size());
  }
}

}  // namespace
}  // namespace npuprof::format::host
