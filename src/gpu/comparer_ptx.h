// The PTX of burin's own kernels that compare buffers (device_comparer.h). All parameters have
// eight bytes.
//
//   burin_compare(got, expected, count, type, tolerant, tolerance, results)
//     type      launch::ElementType
//     tolerant  0: elements are equal if their bits are
//     results   {elements that differ, index of the first, largest |got - expected| as a double}
//   burin_digest(data, words, results)
//     results   a sum, to which each word adds mix(word + (i + 1) · 0x9e3779b97f4a7c15)
#pragma once

namespace burin::gpu {

inline constexpr const char* kComparerPtx = R"(
.version 6.0
.target sm_70
.address_size 64

.visible .entry burin_compare(.param .u64 got, .param .u64 expected, .param .u64 count,
                              .param .u64 type, .param .u64 tolerant, .param .f64 tolerance,
                              .param .u64 results)
{
  .reg .pred %p, %q, %tolerant;
  .reg .b16 %ha, %hb;
  .reg .b32 %block, %blocks, %threads, %thread, %wa, %wb;
  .reg .f32 %fa, %fb;
  .reg .f64 %x, %y, %error, %bound, %tolerance, %largest, %infinity;
  .reg .b64 %got, %expected, %count, %type, %index, %stride, %offset, %a, %b, %la, %lb;
  .reg .b64 %different, %first, %word, %results;
  ld.param.u64 %got, [got];
  ld.param.u64 %expected, [expected];
  ld.param.u64 %count, [count];
  ld.param.u64 %type, [type];
  ld.param.u64 %word, [tolerant];
  ld.param.f64 %tolerance, [tolerance];
  ld.param.u64 %results, [results];
  cvta.to.global.u64 %got, %got;
  cvta.to.global.u64 %expected, %expected;
  cvta.to.global.u64 %results, %results;
  setp.ne.u64 %tolerant, %word, 0;
  mov.u32 %block, %ctaid.x;
  mov.u32 %blocks, %nctaid.x;
  mov.u32 %threads, %ntid.x;
  mov.u32 %thread, %tid.x;
  mul.wide.u32 %index, %block, %threads;
  cvt.u64.u32 %offset, %thread;
  add.u64 %index, %index, %offset;
  mul.wide.u32 %stride, %blocks, %threads;
  mov.u64 %different, 0;
  mov.u64 %first, -1;
  mov.f64 %largest, 0d0000000000000000;
  mov.f64 %infinity, 0d7FF0000000000000;
again:
  setp.ge.u64 %p, %index, %count;
  @%p bra done;
  setp.eq.u64 %p, %type, 0;
  @%p bra bytes;
  setp.eq.u64 %p, %type, 1;
  @%p bra words;
  setp.eq.u64 %p, %type, 2;
  @%p bra halves;
  setp.eq.u64 %p, %type, 3;
  @%p bra brains;
  setp.eq.u64 %p, %type, 4;
  @%p bra floats;
  shl.b64 %offset, %index, 3;
  add.u64 %a, %got, %offset;
  add.u64 %b, %expected, %offset;
  ld.global.u64 %la, [%a];
  ld.global.u64 %lb, [%b];
  setp.eq.u64 %p, %la, %lb;
  @%p bra next;
  mov.b64 %x, %la;
  mov.b64 %y, %lb;
  bra decide;
bytes:
  add.u64 %a, %got, %index;
  add.u64 %b, %expected, %index;
  ld.global.u8 %wa, [%a];
  ld.global.u8 %wb, [%b];
  bra integers;
words:
  shl.b64 %offset, %index, 2;
  add.u64 %a, %got, %offset;
  add.u64 %b, %expected, %offset;
  ld.global.u32 %wa, [%a];
  ld.global.u32 %wb, [%b];
integers:
  setp.eq.u32 %p, %wa, %wb;
  @%p bra next;
  cvt.rn.f64.u32 %x, %wa;
  cvt.rn.f64.u32 %y, %wb;
  bra decide;
halves:
  shl.b64 %offset, %index, 1;
  add.u64 %a, %got, %offset;
  add.u64 %b, %expected, %offset;
  ld.global.u16 %ha, [%a];
  ld.global.u16 %hb, [%b];
  setp.eq.u16 %p, %ha, %hb;
  @%p bra next;
  cvt.f32.f16 %fa, %ha;
  cvt.f32.f16 %fb, %hb;
  bra widen;
brains:
  shl.b64 %offset, %index, 1;
  add.u64 %a, %got, %offset;
  add.u64 %b, %expected, %offset;
  ld.global.u16 %wa, [%a];
  ld.global.u16 %wb, [%b];
  shl.b32 %wa, %wa, 16;
  shl.b32 %wb, %wb, 16;
  bra singles;
floats:
  shl.b64 %offset, %index, 2;
  add.u64 %a, %got, %offset;
  add.u64 %b, %expected, %offset;
  ld.global.u32 %wa, [%a];
  ld.global.u32 %wb, [%b];
singles:
  setp.eq.u32 %p, %wa, %wb;
  @%p bra next;
  mov.b32 %fa, %wa;
  mov.b32 %fb, %wb;
widen:
  cvt.f64.f32 %x, %fa;
  cvt.f64.f32 %y, %fb;
decide:
  sub.f64 %error, %x, %y;
  abs.f64 %error, %error;
  @!%tolerant bra differs;
  testp.notanumber.f64 %p, %x;
  testp.notanumber.f64 %q, %y;
  and.pred %p, %p, %q;
  @%p bra next;
  testp.finite.f64 %p, %error;
  abs.f64 %bound, %y;
  max.f64 %bound, %bound, 0d3FF0000000000000;
  mul.f64 %bound, %bound, %tolerance;
  setp.le.f64 %q, %error, %bound;
  and.pred %p, %p, %q;
  @%p bra next;
differs:
  add.u64 %different, %different, 1;
  min.u64 %first, %first, %index;
  testp.notanumber.f64 %p, %error;
  selp.f64 %error, %infinity, %error, %p;
  max.f64 %largest, %largest, %error;
next:
  add.u64 %index, %index, %stride;
  bra again;
done:
  setp.eq.u64 %p, %different, 0;
  @%p ret;
  red.global.add.u64 [%results], %different;
  red.global.min.u64 [%results + 8], %first;
  mov.b64 %word, %largest;
  red.global.max.u64 [%results + 16], %word;
  ret;
}

.visible .entry burin_digest(.param .u64 data, .param .u64 words, .param .u64 results)
{
  .reg .pred %p;
  .reg .b32 %block, %blocks, %threads, %thread;
  .reg .b64 %data, %count, %index, %stride, %offset, %address, %word, %mixed, %sum, %results;
  ld.param.u64 %data, [data];
  ld.param.u64 %count, [words];
  ld.param.u64 %results, [results];
  cvta.to.global.u64 %data, %data;
  cvta.to.global.u64 %results, %results;
  mov.u32 %block, %ctaid.x;
  mov.u32 %blocks, %nctaid.x;
  mov.u32 %threads, %ntid.x;
  mov.u32 %thread, %tid.x;
  mul.wide.u32 %index, %block, %threads;
  cvt.u64.u32 %offset, %thread;
  add.u64 %index, %index, %offset;
  mul.wide.u32 %stride, %blocks, %threads;
  mov.u64 %sum, 0;
again:
  setp.ge.u64 %p, %index, %count;
  @%p bra done;
  shl.b64 %offset, %index, 3;
  add.u64 %address, %data, %offset;
  ld.global.u64 %word, [%address];
  add.u64 %offset, %index, 1;
  mul.lo.u64 %offset, %offset, 0x9e3779b97f4a7c15;
  add.u64 %word, %word, %offset;
  shr.u64 %mixed, %word, 30;
  xor.b64 %word, %word, %mixed;
  mul.lo.u64 %word, %word, 0xbf58476d1ce4e5b9;
  shr.u64 %mixed, %word, 27;
  xor.b64 %word, %word, %mixed;
  mul.lo.u64 %word, %word, 0x94d049bb133111eb;
  shr.u64 %mixed, %word, 31;
  xor.b64 %word, %word, %mixed;
  add.u64 %sum, %sum, %word;
  add.u64 %index, %index, %stride;
  bra again;
done:
  red.global.add.u64 [%results], %sum;
  ret;
}
)";

}  // namespace burin::gpu
