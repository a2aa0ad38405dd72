package local

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// makeLoad keeps the computer busy in all the ways that are compared, until
// the test ends, and returns the process number of a program with one thread
// that computes all the time.
func makeLoad(t *testing.T) int {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	every := func(pause time.Duration, f func()) {
		running.Go(func() {
			for ctx.Err() == nil {
				f()
				time.Sleep(pause)
			}
		})
	}
	every(12*time.Millisecond, compute)
	every(5*time.Millisecond, fault)
	every(20*time.Millisecond, writer(t))
	every(2*time.Millisecond, traffic(t))
	every(40*time.Millisecond, func() { _ = exec.CommandContext(ctx, "true").Run() })
	const computes = "ulimit -t 25; while :; do :; done" // ends by itself, come what may
	child := exec.CommandContext(ctx, "sh", "-c", computes)
	if err := child.Start(); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() {
		cancel()
		_ = child.Wait()
		running.Wait()
	})
	return child.Process.Pid
}

// compute runs for 3 ms.
func compute() {
	for end := time.Now().Add(3 * time.Millisecond); time.Now().Before(end); {
	}
}

// fault touches 256 new pages.
func fault() {
	const pages = 256
	b, err := unix.Mmap(-1, 0, pages*os.Getpagesize(), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return
	}
	for i := 0; i < len(b); i += os.Getpagesize() {
		b[i] = 1
	}
	_ = unix.Munmap(b)
}

// writer writes 64 KiB to the disk, around the file cache where that is possible.
func writer(t *testing.T) func() {
	t.Helper()
	path := filepath.Join(t.TempDir(), "load")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|unix.O_DIRECT, 0o600)
	if err != nil {
		if f, err = os.Create(path); err != nil {
			t.Skip(err)
		}
	}
	t.Cleanup(func() { _ = f.Close() })
	const size, align = 64 << 10, 4096
	memory := make([]byte, size+align)
	b := memory[align-int(uintptr(unsafe.Pointer(&memory[0]))%align):][:size]
	var at int64
	return func() {
		_, _ = f.WriteAt(b, at)
		_ = f.Sync()
		_, _ = f.ReadAt(b, at)
		at = (at + size) % (64 * size)
	}
}

// traffic sends 4 KiB over TCP and a datagram, to ourselves.
func traffic(t *testing.T) func() {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skip(err)
	}
	out, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Skip(err)
	}
	in, err := listener.Accept()
	if err != nil {
		t.Skip(err)
	}
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() {
		for _, c := range []interface{ Close() error }{listener, out, in, udp} {
			_ = c.Close()
		}
	})
	b, back := make([]byte, 4096), make([]byte, 4096)
	return func() {
		_, _ = out.Write(b)
		_, _ = in.Read(back)
		_, _ = udp.WriteTo(b[:100], udp.LocalAddr())
		_, _, _ = udp.ReadFrom(back)
	}
}
