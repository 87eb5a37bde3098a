#pragma once
// Bytes of the instructions that machine code for tapes needs: numbers in the sixteen vector
// registers, one each or four each, and values in memory at rbx + stride value - 128, so that the
// first ones have short addresses. [IntelSDM, vol. 2]
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace daedalus {

class X86Code {
 public:
  static constexpr int registers = 16, no_source = 0, lanes = 4;

  /// `wide`: four numbers in a register. `stride`: bytes from value to value.
  X86Code(bool wide, int stride) : wide_(wide), stride_(stride) {}

  std::span<const std::uint8_t> bytes() const { return {bytes_.data(), end_}; }
  /// For all that one instruction of a tape may need: every register stored, and a call.
  void make_room() {
    constexpr std::size_t room = 512;
    if (bytes_.size() - end_ < room) bytes_.resize(2 * bytes_.size() + room);
  }

  void begin() {
    put(0x53);                           // push rbx
    put(0x48, 0x8D, 0x9F), number(128);  // lea rbx, [rdi + 128]
    if (!wide_) return;
    put(0x41, 0x54, 0x48, 0x83, 0xEC, 8, 0x41, 0x89, 0xF4);  // push r12; sub rsp, 8; mov r12d, esi
    again_ = end_;
  }
  /// Wide code is run again for the next lanes, as often as its second argument says.
  void end() {
    if (wide_) {
      put(0x48, 0x83, 0xC3, 8 * lanes);  // add rbx, ...
      put(0x41, 0xFF, 0xCC);             // dec r12d
      put(0x0F, 0x85), number(static_cast<int>(again_) - static_cast<int>(end_) - 4);  // jnz
      leave_wide();
      put(0x48, 0x83, 0xC4, 8, 0x41, 0x5C);  // add rsp, 8; pop r12
    }
    put(0x5B, 0xC3);  // pop rbx; ret
  }

  /// Bits and numbers: operations on numbers exist for one or four.
  enum class Prefix { bits = 1, number = 3 };
  /// target = a op b
  void operate(Prefix prefix, std::uint8_t opcode, int target, int a, int b) {
    const int high = target < 8 ? 0x80 : 0, rest = (~a & 15) << 3 | kind(prefix);
    if (b < 8)
      put(0xC5, high | rest);
    else
      put(0xC4, high | 0x41, rest);
    put(opcode, 0xC0 | (target % 8) << 3 | b % 8);
  }
  void operate_memory(Prefix prefix, std::uint8_t opcode, int target, int a, int value) {
    put(0xC5, (target < 8 ? 0x80 : 0) | (~a & 15) << 3 | kind(prefix), opcode);
    address(target, value);
  }
  /// Of three operands, the first also the target: the opcode tells which are factors.
  void fuse(std::uint8_t opcode, int target, int a, int b) {
    put(0xC4, (target < 8 ? 0x80 : 0) | (b < 8 ? 0x60 : 0x40) | 2, fused(a),
        opcode - (wide_ ? 1 : 0), 0xC0 | (target % 8) << 3 | b % 8);
  }
  void fuse_memory(std::uint8_t opcode, int target, int a, int value) {
    put(0xC4, (target < 8 ? 0x80 : 0) | 0x60 | 2, fused(a), opcode - (wide_ ? 1 : 0));
    address(target, value);
  }

  void load(int own, int value) { operate_memory(Prefix::number, 0x10, own, no_source, value); }
  void store(int own, int value) { operate_memory(Prefix::number, 0x11, own, no_source, value); }
  void move(int target, int own) { operate(Prefix::bits, 0x28, target, no_source, own); }
  void root(int target, int a) { operate(Prefix::number, 0x51, target, wide_ ? no_source : a, a); }
  void load_bits(int own, std::uint64_t bits) {
    const int high = own < 8 ? 0x80 : 0, low = own % 8;
    put(0x48, 0xB8), number64(bits);                      // mov rax, ...
    put(0xC4, high | 0x61, 0xF9, 0x6E, 0xC0 | low << 3);  // vmovq xmm, rax
    if (wide_)
      put(0xC4, high | (own < 8 ? 0x62 : 0x42), 0x7D, 0x19, 0xC0 | low << 3 | low);  // vbroadcastsd
  }

  void call(std::uint64_t function) {
    if (wide_) leave_wide();
    put(0x48, 0xB8), number64(function), put(0xFF, 0xD0);  // mov rax, ...; call rax
  }
  /// Arguments that are no numbers, first and second: where the memory begins and where a value
  /// lies, an address, a small number.
  void pass_memory() { put(0x48, 0x8D, 0xBB), number(-128); }  // lea rdi, [rbx - 128]
  void pass_first_place(int value) { put(0x48, 0x8D, 0xBB), number(offset(value)); }
  void pass_second_place(int value) { put(0x48, 0x8D, 0xB3), number(offset(value)); }
  void pass_first(int small) { put(0xBF), number(small); }                   // mov edi, ...
  void pass_second(std::uint64_t bits) { put(0x48, 0xBE), number64(bits); }  // mov rsi, ...
  void pass_third(int small) { put(0xBA), number(small); }                   // mov edx, ...

 private:
  int kind(Prefix prefix) const { return wide_ ? 5 : static_cast<int>(prefix); }
  int fused(int a) const { return 0x81 | (~a & 15) << 3 | (wide_ ? 4 : 0); }
  void leave_wide() { put(0xC5, 0xF8, 0x77); }  // vzeroupper
  int offset(int value) const { return stride_ * value - 128; }

  void address(int target, int value) {
    const int own = (target % 8) << 3 | 3;
    if (offset(value) < 128)
      put(0x40 | own, offset(value));
    else
      put(0x80 | own), number(offset(value));
  }
  template <class... Byte>
  void put(Byte... list) {
    ((bytes_[end_++] = static_cast<std::uint8_t>(list)), ...);
  }
  void number(int value) { std::memcpy(&bytes_[end_], &value, sizeof value), end_ += sizeof value; }
  void number64(std::uint64_t value) {
    std::memcpy(&bytes_[end_], &value, sizeof value), end_ += sizeof value;
  }

  std::vector<std::uint8_t> bytes_ = std::vector<std::uint8_t>(1024);
  std::size_t end_ = 0, again_ = 0;
  bool wide_;
  int stride_;
};

}  // namespace daedalus
