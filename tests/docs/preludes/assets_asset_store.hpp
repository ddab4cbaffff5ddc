// SPDX-License-Identifier: Zlib
struct material {};
class material_loader : public loader<material> {
 public:
  result<material> decode(std::span<const std::byte> bytes, load_context& context) override;
};
extern file_watch& watch;
extern text_sink& sink;
extern timeline& record;
