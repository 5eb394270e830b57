// check_table() on the GPU.
#include "gpu/checks/verify.h"
#include "gpu/execution/readback.h"
#include "gpu/tests/checks/check_table_cases.h"
#include "gpu/tests/copy_pixels.h"
#include "gpu/tests/gpu_test.h"

namespace gpu::test {
namespace {

class CheckTableDeviceTest : public NeedsGpu<testing::Test> {};

TEST_F(CheckTableDeviceTest, FindsEveryDamage) {
  const Stream stream;
  const Buffer<std::byte> workspace(256, Device::cuda);
  Readback readback(Device::cuda, sizeof(TableFindings));
  expect_every_damage_is_found([&](const auto& image, const auto& table) {
    const auto image_there = on_device(image);
    const auto table_there = on_device(table);
    auto context = Context::on_stream(stream, workspace.span());
    readback.queue(context, "findings", check_table(context, image_there.view(), table_there.view()), sizeof(TableFindings));
    readback.wait();
    return wrong_table(*reinterpret_cast<const TableFindings*>(readback.bytes().data()), image.size().width);
  });
}

}  // namespace
}  // namespace gpu::test
