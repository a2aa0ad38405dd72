package local

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
)

// swapHost is a made-up host with two swap devices, and what it moved there.
type swapHost struct {
	zram, file         uint64 // KiB in use
	zramSize, fileSize uint64 // KiB; 0: it is off
	in, out            uint64 // pages since boot
	process            uint64 // KiB of process 17
}

func (h *swapHost) files() map[string]string {
	swaps := "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n"
	for _, s := range []struct {
		line       string
		size, used uint64
	}{{"/dev/zram0                              partition\t%d\t%d\t100\n", h.zramSize, h.zram}, {"/var/swap\\040file                      file\t\t%d\t%d\t-2\n", h.fileSize, h.file}} {
		if s.size > 0 {
			swaps += fmt.Sprintf(s.line, s.size, s.used)
		}
	}
	total := h.zramSize + h.fileSize
	info := strings.NewReplacer("SwapTotal:        500", fmt.Sprintf("SwapTotal: %d", total), "SwapFree:         400", fmt.Sprintf("SwapFree: %d", total-h.zram-h.file)).Replace(meminfo)
	return map[string]string{
		"proc/swaps": swaps, "proc/meminfo": info,
		"proc/vmstat": fmt.Sprintf("pgpgin 5\npswpin %d\npswpout %d\npgfault 1\npgmajfault 1\n", h.in, h.out),
		"proc/stat":   twoCPUs, "proc/17/stat": statLine(17, "worker", 0, 5),
		"proc/17/status": fmt.Sprintf("Name:\tworker\nRssAnon:\t  60 kB\nVmSwap:\t  %d kB\n", h.process),
	}
}

// A host begins to swap, swaps back, loses a device and gets it again in another size,
// and has none at last: what is in use, how much moves, and whose it is.
func TestAHostThatSwaps(t *testing.T) {
	h := &swapHost{zramSize: 1000, fileSize: 500}
	m := newMachine(t, h.files())
	m.watch("Memory", "Paging File", "Process")
	pages := func(wantIn, wantOut float64) { // a second, since the read before
		t.Helper()
		before, clocks := map[string]cooker.Reading{}, m.set("Memory").Clocks
		rates := map[string]float64{"Pages Input/sec": wantIn, "Pages Output/sec": wantOut, "Pages/sec": wantIn + wantOut}
		for counter := range rates {
			before[counter] = m.reading("Memory", "", counter)
		}
		h.in, h.out = h.in+2*uint64(wantIn), h.out+2*uint64(wantOut)
		m.after(2*time.Second, h.files())
		for counter, want := range rates {
			prev, cur, now := before[counter], m.reading("Memory", "", counter), m.set("Memory").Clocks
			if v, ok := cooker.Cook(cooker.CounterCounter, &prev, &cur, &clocks, &now, nil).Float(); !ok || v != want {
				t.Errorf("%s is %v, want %v", counter, v, want)
			}
		}
	}
	uses := func(zram, zramPeak, file uint64) {
		t.Helper()
		m.wantRaw("Memory", "", raws{"Swap Used Bytes": (zram + file) << 10, "Commit Limit": (1000 + h.zramSize + h.fileSize) << 10})
		m.wantRaw("Paging File", "_Total", raws{"% Usage": zram + file, "% Usage_Base": h.zramSize + h.fileSize})
		m.wantRaw("Paging File", "_var_swap file", raws{"% Usage": file, "% Usage_Base": 500})
		if h.zramSize > 0 {
			m.wantRaw("Paging File", "_dev_zram0", raws{"% Usage": zram, "% Usage Peak": zramPeak, "% Usage_Base": h.zramSize})
		}
	}
	uses(0, 0, 0)

	h.zram, h.process = 900, 800
	pages(0, 225)
	uses(900, 900, 0)
	m.wantRaw("Process", "worker", raws{"Page File Bytes": 800 << 10, "Private Bytes": 860 << 10})

	h.zram, h.file, h.process = 300, 40, 100
	pages(150, 10)
	uses(300, 900, 40)
	m.wantRaw("Process", "worker", raws{"Page File Bytes": 100 << 10})

	h.zram, h.zramSize, h.file = 0, 0, 340
	pages(0, 0)
	if got := m.names("Paging File"); got != "_var_swap file _Total" {
		t.Errorf("after one went: %q", got)
	}
	uses(0, 0, 340)

	h.zram, h.zramSize = 300, 400
	pages(0, 0)
	uses(300, 300, 340)
	h.zram, h.zramSize = 20, 200 // off and on between two looks: its peak was that of another device
	pages(0, 0)
	uses(20, 20, 340)

	*h = swapHost{in: h.in, out: h.out}
	pages(0, 0)
	m.wantRaw("Memory", "", raws{"Swap Used Bytes": 0})
	if got := m.names("Paging File"); got != "_Total" {
		t.Errorf("without swap: %q", got)
	}
}

// Where this computer swaps, what is in use is what its devices have.
func TestSwapOfThisComputer(t *testing.T) {
	text, err := os.ReadFile("/proc/swaps")
	if err != nil || strings.Count(string(text), "\n") < 2 {
		t.Skip("this computer has no swap")
	}
	m := thisComputer(t, "Memory", "Paging File")
	total := m.reading("Paging File", "_Total", "% Usage")
	if len(m.set("Paging File").Instances) != strings.Count(string(text), "\n") || total.Base == 0 || total.Raw > total.Base {
		t.Errorf("%d of %d KiB are in use of %s, by\n%s", total.Raw, total.Base, m.names("Paging File"), text)
	}
	near(t, "swap used", m.reading("Memory", "", "Swap Used Bytes").Raw, total.Raw<<10, 0.1, 16<<20)
}
