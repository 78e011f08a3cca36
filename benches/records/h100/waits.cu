// The time from a launch until the host has a value of the kernel, by several ways.
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <algorithm>
#include <chrono>
#include <cuda_runtime.h>
#include <cuda.h>
using clk = std::chrono::steady_clock;
__global__ void put(unsigned *to, unsigned value) { *to = value; }
__global__ void put_flag(volatile unsigned *to, unsigned value) { to[0] = value; __threadfence_system(); to[16] = value; }
__global__ void nothing(unsigned *to) { }
template <class F> void measure(const char *name, F f) {
  for (int i = 0; i < 200; i++) f(i);
  std::vector<double> t;
  for (int r = 0; r < 21; r++) {
    auto a = clk::now();
    for (int i = 0; i < 200; i++) f(i);
    t.push_back(std::chrono::duration<double>(clk::now() - a).count() / 200 * 1e6);
  }
  std::sort(t.begin(), t.end());
  printf("%-60s min %6.2f  median %6.2f us\n", name, t[0], t[10]);
}
int main(int argc, char **argv) {
  if (argc > 1) cudaSetDeviceFlags(atoi(argv[1]));
  printf("flags %s\n", argc > 1 ? argv[1] : "default");
  cudaStream_t s; cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  unsigned *dev, *pinned, *mapped, *mapped_dev, pageable[64]; volatile unsigned sink = 0;
  cudaMalloc(&dev, 1 << 20); cudaMallocHost(&pinned, 4096); cudaHostAlloc(&mapped, 4096, cudaHostAllocMapped);
  cudaHostGetDevicePointer(&mapped_dev, mapped, 0);
  cudaEvent_t e; cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
  measure("launch only", [&](int i) { nothing<<<1, 256, 0, s>>>(dev); });
  cudaStreamSynchronize(s);
  measure("launch, synchronize", [&](int i) { nothing<<<1, 256, 0, s>>>(dev); cudaStreamSynchronize(s); });
  measure("pageable copy, synchronize", [&](int i) { put<<<1, 1, 0, s>>>(dev, i); cudaMemcpyAsync(pageable, dev, 64, cudaMemcpyDeviceToHost, s); cudaStreamSynchronize(s); sink += pageable[0]; });
  measure("pinned copy, synchronize", [&](int i) { put<<<1, 1, 0, s>>>(dev, i); cudaMemcpyAsync(pinned, dev, 64, cudaMemcpyDeviceToHost, s); cudaStreamSynchronize(s); sink += pinned[0]; });
  measure("pinned copy, query", [&](int i) { put<<<1, 1, 0, s>>>(dev, i); cudaMemcpyAsync(pinned, dev, 64, cudaMemcpyDeviceToHost, s); while (cudaStreamQuery(s) == cudaErrorNotReady); sink += pinned[0]; });
  measure("pinned copy, event, query", [&](int i) { put<<<1, 1, 0, s>>>(dev, i); cudaMemcpyAsync(pinned, dev, 64, cudaMemcpyDeviceToHost, s); cudaEventRecord(e, s); while (cudaEventQuery(e) == cudaErrorNotReady); sink += pinned[0]; });
  measure("kernel writes to host, synchronize", [&](int i) { put<<<1, 1, 0, s>>>(mapped_dev, i); cudaStreamSynchronize(s); sink += mapped[0]; });
  measure("kernel writes to host, query", [&](int i) { put<<<1, 1, 0, s>>>(mapped_dev, i); while (cudaStreamQuery(s) == cudaErrorNotReady); sink += mapped[0]; });
  measure("kernel writes to host, host polls", [&](int i) { put_flag<<<1, 1, 0, s>>>(mapped_dev, i + 1); while (((volatile unsigned *)mapped)[16] != (unsigned)i + 1); sink += mapped[0]; });
  measure("kernel, copy kernel to host, host polls", [&](int i) { put<<<1, 1, 0, s>>>(dev, i); put_flag<<<1, 1, 0, s>>>(mapped_dev, i + 1); while (((volatile unsigned *)mapped)[16] != (unsigned)i + 1); sink += mapped[0]; });
  measure("kernel, copy kernel to host, synchronize", [&](int i) { put<<<1, 1, 0, s>>>(dev, i); put_flag<<<1, 1, 0, s>>>(mapped_dev, i + 1); cudaStreamSynchronize(s); sink += mapped[0]; });
  measure("memset 64", [&](int i) { cudaMemsetAsync(dev, 0, 64, s); });
  cudaStreamSynchronize(s);
  measure("memset 64, launch", [&](int i) { cudaMemsetAsync(dev, 0, 64, s); nothing<<<1, 256, 0, s>>>(dev); });
  cudaStreamSynchronize(s);
  measure("malloc async, free async 1 MB", [&](int i) { void *p; cudaMallocAsync(&p, 1 << 20, s); cudaFreeAsync(p, s); });
  cudaStreamSynchronize(s);
  measure("pageable copy of 4 MB, synchronize", [&](int i) { static std::vector<char> big(4 << 20); static char *d = [] { char *p; cudaMalloc(&p, 4 << 20); return p; }(); if (i % 20 == 0) { cudaMemcpyAsync(big.data(), d, 4 << 20, cudaMemcpyDeviceToHost, s); cudaStreamSynchronize(s); } });
  measure("pinned copy of 4 MB, synchronize", [&](int i) { static char *big = [] { char *p; cudaMallocHost(&p, 4 << 20); return p; }(); static char *d = [] { char *p; cudaMalloc(&p, 4 << 20); return p; }(); if (i % 20 == 0) { cudaMemcpyAsync(big, d, 4 << 20, cudaMemcpyDeviceToHost, s); cudaStreamSynchronize(s); } });
  // A graph of ten kernels beside ten launches.
  cudaGraph_t g; cudaGraphExec_t x;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  for (int k = 0; k < 10; k++) nothing<<<1, 256, 0, s>>>(dev);
  cudaStreamEndCapture(s, &g); cudaGraphInstantiate(&x, g, 0);
  measure("graph of 10 kernels, synchronize", [&](int i) { cudaGraphLaunch(x, s); cudaStreamSynchronize(s); });
  measure("10 launches, synchronize", [&](int i) { for (int k = 0; k < 10; k++) nothing<<<1, 256, 0, s>>>(dev); cudaStreamSynchronize(s); });
  measure("graph of 10 kernels", [&](int i) { cudaGraphLaunch(x, s); });
  cudaStreamSynchronize(s);
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
