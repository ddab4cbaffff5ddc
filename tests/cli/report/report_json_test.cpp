// SPDX-License-Identifier: Zlib
#include "report/report_json.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/sample_report.hpp"

namespace overture::cli::report_json_test {
namespace {

using json = nlohmann::json;

json parsed(const report& what) {
  return json::parse(report_json(what));
}

TEST(json_report, has_the_documented_fields) {
  const json object = parsed(sample_report());
  EXPECT_EQ(object["schema"], 1);
  EXPECT_TRUE(object["version"].is_string());
  EXPECT_EQ(object["files"], 3890);
  EXPECT_EQ(object["bytes"], 412u << 20);
  EXPECT_EQ(object["failed"], 2);
  EXPECT_EQ(object["warnings"], 8);
  EXPECT_EQ(object["file_warnings"].size(), 8u);
  EXPECT_EQ(object["file_warnings"][0], (json{{"path", "gfx/wall.jpg"},
                                              {"mount", "game/base.pk3"},
                                              {"reason", "the JPEG file has no end marker"},
                                              {"offset", 4096}}));
  EXPECT_EQ(object["skipped"], 3);
  EXPECT_EQ(object["overridden"], 2);
  EXPECT_EQ(object["hash"], "0123456789abcdef");
  EXPECT_EQ(object["seconds"], 1.23);
  EXPECT_EQ(object["threads"], 2);
  EXPECT_EQ(object["bound"], "decode-bound");
  EXPECT_EQ(object["interrupted"], false);
  EXPECT_EQ(object["stages"]["decode"],
            (json{{"seconds", 1.5}, {"bytes", 900u << 20}, {"files", 3890}}));
  EXPECT_EQ(object["stages"].size(), load_stage_count);
  EXPECT_EQ(object["reads"]["disk_bytes"], 150u << 20);
  EXPECT_EQ(object["reads"]["cached_bytes"], 38u << 20);
  EXPECT_EQ(object["reads"]["queue_seconds"], 0.41);
  EXPECT_EQ(object["reads"]["device_seconds"], 1.9);
  EXPECT_EQ(object["reads"]["median_seconds"], 0.002);
  EXPECT_EQ(object["reads"]["p99_seconds"], 0.031);
  EXPECT_EQ(object["reads"]["block_wait_seconds"], 0.0);
  EXPECT_EQ(object["slowest"][0]["block_wait_seconds"], 0.0);
  EXPECT_EQ(object["advice"].size(), object["changes"].size());
  const json& change = object["changes"][0];
  EXPECT_EQ(change["seconds"], 0.2) << "its share of the load";
  EXPECT_TRUE(std::string(change["sentence"]).starts_with("Stream 23 sounds")) << change;
  EXPECT_EQ(object["advice"][0], "Up to 200 ms of the load: " + std::string(change["sentence"]));
  EXPECT_EQ(object["waits"], (json{{idle_reasons::read, 0.22}}));
  EXPECT_EQ(object["mounts"].size(), 3u);
  EXPECT_EQ(object["mounts"][0]["hidden"], 99);
  EXPECT_EQ(object["types"][2]["extension"], "");
  EXPECT_EQ(object["cores"][0]["name"], "main");
  EXPECT_EQ(object["cores"][2]["worker"], false);
  EXPECT_EQ(object["slowest"][0]["stages"]["decode"], 0.05);
  EXPECT_EQ(object["failures"][0], (json{{"path", "gfx/broken.png"},
                                         {"mount", "game/base.pk3"},
                                         {"stage", "decode"},
                                         {"code", "corrupt"},
                                         {"reason", "not a PNG"}}));
  EXPECT_EQ(object["overrides"][0]["winner"], "mods/better_ai.zip");
  EXPECT_EQ(object["skipped_names"][1]["reason"], "the link leads outside the mount");
  EXPECT_EQ(object["memory"]["total"], 80u << 20);
  EXPECT_EQ(object["kept"]["bytes"], 912u << 20);
  EXPECT_EQ(object["kept"]["kinds"],
            (json{{"image", {{"files", 2000}, {"bytes", 900u << 20}}},
                  {"undecoded", {{"files", 1890}, {"bytes", 12u << 20}}}}));
}

TEST(json_report, counts_no_kept_files_without_keep) {
  report what = sample_report();
  what.kept.reset();
  EXPECT_EQ(parsed(what)["kept"], (json{{"files", 0}, {"bytes", 0}, {"kinds", json::object()}}));
}

TEST(json_report, has_verdict_shares_that_add_up_to_1) {
  double sum = 0;
  const json object = parsed(sample_report());
  for (const json& share : object["verdict_shares"]) sum += share["share"].get<double>();
  EXPECT_NEAR(sum, 1, 1e-9);
}

TEST(json_report, is_a_single_ascii_object) {
  const std::string text = report_json(sample_report());
  EXPECT_TRUE(std::all_of(text.begin(), text.end(),
                          [](char c) { return c == '\n' || (c >= ' ' && c < 0x7f); }));
  EXPECT_EQ(parsed(sample_report())["slowest"][1]["path"], "音楽/テーマ.ogg");
}

TEST(json_report, replaces_invalid_utf_8_in_names) {
  report what = sample_report();
  what.mounts[0].path = "caf\xe9.zip";
  EXPECT_EQ(parsed(what)["mounts"][0]["path"], "caf\uFFFD.zip");
}

TEST(json_report, is_complete_for_an_empty_load) {
  const json object = parsed(report{});
  const json full = parsed(sample_report());
  for (const auto& [key, value] : full.items()) {
    ASSERT_TRUE(object.contains(key)) << key;
    EXPECT_EQ(object[key].type_name(), std::string(value.type_name())) << key;
  }
}

}  // namespace
}  // namespace overture::cli::report_json_test
