#pragma once
// Bytes of the instructions that machine code for tapes needs: scalars in the sixteen vector
// registers, and values in memory at rbx + 8 value - 128, so that the first ones have short
// addresses. [IntelSDM, vol. 2]
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace daedalus {

class X86Code {
 public:
  static constexpr int registers = 16, no_source = 0;

  std::span<const std::uint8_t> bytes() const { return {bytes_.data(), end_}; }
  /// For all that one instruction of a tape may need: every register stored, and a call.
  void make_room() {
    constexpr std::size_t room = 512;
    if (bytes_.size() - end_ < room) bytes_.resize(2 * bytes_.size() + room);
  }

  void begin() {
    put(0x53);                           // push rbx
    put(0x48, 0x8D, 0x9F), number(128);  // lea rbx, [rdi + 128]
  }
  void end() { put(0x5B, 0xC3); }  // pop rbx; ret

  enum class Prefix { none = 0, packed = 1, scalar = 3 };
  /// target = a op b
  void operate(Prefix prefix, std::uint8_t opcode, int target, int a, int b) {
    const int high = target < 8 ? 0x80 : 0, rest = (~a & 15) << 3 | static_cast<int>(prefix);
    if (b < 8)
      put(0xC5, high | rest);
    else
      put(0xC4, high | 0x41, rest);
    put(opcode, 0xC0 | (target % 8) << 3 | b % 8);
  }
  void operate_memory(Prefix prefix, std::uint8_t opcode, int target, int a, int value) {
    put(0xC5, (target < 8 ? 0x80 : 0) | (~a & 15) << 3 | static_cast<int>(prefix), opcode);
    address(target, value);
  }
  /// Of three operands, the first also the target: the opcode tells which are factors.
  void fuse(std::uint8_t opcode, int target, int a, int b) {
    put(0xC4, (target < 8 ? 0x80 : 0) | (b < 8 ? 0x60 : 0x40) | 2, 0x81 | (~a & 15) << 3, opcode,
        0xC0 | (target % 8) << 3 | b % 8);
  }
  void fuse_memory(std::uint8_t opcode, int target, int a, int value) {
    put(0xC4, (target < 8 ? 0x80 : 0) | 0x60 | 2, 0x81 | (~a & 15) << 3, opcode);
    address(target, value);
  }

  void load(int own, int value) { operate_memory(Prefix::scalar, 0x10, own, no_source, value); }
  void store(int own, int value) { operate_memory(Prefix::scalar, 0x11, own, no_source, value); }
  void move(int target, int own) { operate(Prefix::packed, 0x28, target, no_source, own); }
  void load_bits(int own, std::uint64_t bits) {
    put(0x48, 0xB8), number64(bits);                                      // mov rax, ...
    put(0xC4, own < 8 ? 0xE1 : 0x61, 0xF9, 0x6E, 0xC0 | (own % 8) << 3);  // vmovq xmm, rax
  }

  void call(std::uint64_t function) {
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
  static int offset(int value) { return 8 * value - 128; }

  void address(int target, int value) {
    const int own = (target % 8) << 3 | 3;
    if (value < 32)
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
  std::size_t end_ = 0;
};

}  // namespace daedalus
