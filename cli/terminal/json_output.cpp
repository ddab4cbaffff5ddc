// SPDX-License-Identifier: Zlib
#include "terminal/json_output.hpp"

#include <nlohmann/json.hpp>
#include <utility>

namespace overture::cli {

struct json::node {
  nlohmann::ordered_json value;
};

json::json(std::nullptr_t) : node_(std::make_unique<node>()) {}
json::json(bool value) : node_(new node{value}) {}
json::json(double value) : node_(new node{value}) {}
json::json(tag, std::uint64_t value) : node_(new node{value}) {}
json::json(tag, std::int64_t value) : node_(new node{value}) {}
json::json(const char* value) : json(std::string_view(value)) {}
json::json(std::string_view value) : node_(new node{value}) {}
json::json(std::initializer_list<json_member> members) : json(object()) {
  for (const json_member& each : members) set(each.name, each.value);
}
json::json(const json& other) : node_(std::make_unique<node>(*other.node_)) {}
json::json(json&& other) noexcept = default;
json& json::operator=(json other) noexcept {
  node_ = std::move(other.node_);
  return *this;
}
json::~json() = default;

json json::object() {
  json made;
  made.node_->value = nlohmann::ordered_json::object();
  return made;
}

json json::array() {
  json made;
  made.node_->value = nlohmann::ordered_json::array();
  return made;
}

void json::set(std::string_view name, json value) {
  node_->value[std::string(name)] = std::move(value.node_->value);
}

void json::push_back(json value) {
  node_->value.push_back(std::move(value.node_->value));
}

std::string json_text(const json& object) {
  return object.node_->value.dump(2, ' ', true, nlohmann::json::error_handler_t::replace) + '\n';
}

}  // namespace overture::cli
