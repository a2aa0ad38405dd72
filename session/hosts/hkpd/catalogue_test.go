package hkpd

import (
	"errors"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/hosts/cache"
	"perfdeck/session/wire/perflib"
	"perfdeck/session/wire/rpc"
)

func setNames(cat *session.Catalogue) []string {
	var out []string
	for _, s := range cat.Sets {
		out = append(out, s.Name)
	}
	return out
}

func TestCatalogue(t *testing.T) {
	r := newRig(t, windows(), Options{})
	if got := setNames(r.cat); !slices.Equal(got, []string{"Memory", "PhysicalDisk", "Process", "System", "Thread"}) {
		t.Errorf("sets %q", got)
	}
	disk := r.cat.Set("PhysicalDisk")
	if disk.V1Index != 234 || disk.GUID != "" || disk.Protocol != "MS-RRP" || disk.Instances != session.MultipleInstances || disk.Description != "PhysicalDisk explained" {
		t.Errorf("%+v", disk)
	}
	if r.cat.Set("Memory").Instances != session.SingleInstance {
		t.Error("Memory has instances")
	}
	names, visible := []string{}, []string{}
	for i := range disk.Counters {
		c := &disk.Counters[i]
		names = append(names, c.Name)
		if !c.Hidden() {
			visible = append(visible, c.Name)
		}
	}
	if !slices.Equal(names, []string{"Avg. Disk sec/Read", "Avg. Disk sec/Read", "Disk Bytes/sec", "% Free Space"}) || len(visible) != 3 {
		t.Errorf("counters %q, visible %q", names, visible)
	}
	if c := disk.Counters[0]; c.BaseID != disk.Counters[1].ID || c.BaseID == c.ID || c.Detail != session.DetailAdvanced || c.Type != cooker.AverageTimer {
		t.Errorf("%+v", c)
	}
	if disk.Counters[3].BaseID != session.NoID { // nothing follows it
		t.Errorf("%+v", disk.Counters[3])
	}
	for index, want := range map[uint32]string{234: "PhysicalDisk", 218: "Disk Bytes/sec", 6: "% Processor Time"} {
		if name, _ := r.cat.NameOf(index); name != want {
			t.Errorf("index %d is %q", index, name)
		}
	}
	if w := r.source.Warnings(); len(w) > 0 {
		t.Error(w)
	}
	if r.source.Traffic() == 0 {
		t.Error("no traffic")
	}
}

func TestMultiBaseIsANumberOfItsOwn(t *testing.T) {
	h := windows()
	h.object(4).counters = []perflib.V1Counter{counterOf(24, cooker.CounterMultiTimer, 8), counterOf(24, cooker.CounterMultiBase, 8)}
	set := newRig(t, h, Options{}).cat.Set("Memory")
	if c := set.Counters[0]; c.MultiID != set.Counters[1].ID || c.BaseID != session.NoID {
		t.Errorf("%+v", c)
	}
}

func TestCostlyObjectsOnDemand(t *testing.T) {
	r := newRig(t, windows(), Options{Costly: true})
	if r.cat.Set("Costly Object") == nil {
		t.Errorf("sets %q", setNames(r.cat))
	}
	h := windows()
	newRig(t, h, Options{})
	if slices.Contains(h.asked, "Costly") {
		t.Error("asked for costly objects without need")
	}
	h = windows()
	h.value = func(name string, _ uint32) *rpc.Value {
		if name == "Costly" {
			return &rpc.Value{Code: 0x57}
		}
		return nil
	}
	if r := newRig(t, h, Options{Costly: true}); len(r.cat.Sets) != 5 || len(r.source.Warnings()) != 1 {
		t.Errorf("%d sets, %v", len(r.cat.Sets), r.source.Warnings())
	}
}

func TestLanguages(t *testing.T) {
	german := func(nls bool) *host {
		h := windows()
		h.nls, h.german = nls, map[uint32]string{230: "Prozess", 234: "Physikalischer Datenträger", 218: "Bytes/s", 4: "Memory"}
		return h
	}
	for _, c := range []struct {
		name        string
		host        *host
		lcid        uint32
		label, help string
	}{
		{"user's, by HKEY_PERFORMANCE_DATA", german(false), 0x407, "Physikalischer Datenträger", "Physikalischer Datenträger erklärt"},
		{"user's, by HKEY_PERFORMANCE_NLSTEXT", german(true), 0x407, "Physikalischer Datenträger", "Physikalischer Datenträger erklärt"},
		{"host's", german(true), 0, "Physikalischer Datenträger", "Physikalischer Datenträger erklärt"},
		{"English", german(false), 0x409, "", "PhysicalDisk explained"},
		{"not there", windows(), 0x407, "", "PhysicalDisk explained"},
		{"the host has English alone", windows(), 0, "", "PhysicalDisk explained"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, c.host, Options{Reach: Reach{LCID: c.lcid}})
			disk := r.cat.Set("PhysicalDisk")
			if disk == nil || disk.Label != c.label || disk.Description != c.help {
				t.Fatalf("%+v", disk)
			}
			if label := r.cat.Set("Memory").Label; label != "" {
				t.Errorf("a label that is the name: %q", label)
			}
			if open := c.host.keys; open > 1 {
				t.Errorf("%d keys are open", open)
			}
		})
	}
}

func TestNamesInHKeyPerformanceTextAlone(t *testing.T) {
	h := windows()
	h.value = func(name string, _ uint32) *rpc.Value {
		if name == "Counter 009" {
			return &rpc.Value{Code: 2}
		}
		return nil
	}
	if r := newRig(t, h, Options{}); r.cat.Set("PhysicalDisk") == nil {
		t.Errorf("sets %q", setNames(r.cat))
	}
}

func TestHostWithoutNames(t *testing.T) {
	h := windows()
	h.noNames = true
	r := newRig(t, h, Options{})
	set := r.cat.Set("object 234")
	if set == nil || set.Counters[2].Name != "counter 218" {
		t.Errorf("sets %q", setNames(r.cat))
	}
	if w := r.source.Warnings(); len(w) != 1 || !strings.Contains(w[0].Error(), "lodctr") {
		t.Error(w)
	}
}

func TestTrailingBlanksOfNames(t *testing.T) {
	h := windows()
	h.english[234] = "PhysicalDisk  "
	if r := newRig(t, h, Options{}); r.cat.Set("PhysicalDisk") == nil {
		t.Errorf("sets %q", setNames(r.cat))
	}
}

func TestRefusals(t *testing.T) {
	denied := &rpc.Error{Code: rpc.CodeAccessDenied}
	for _, c := range []struct {
		name string
		host func(*host)
		want error
	}{
		{"key", func(h *host) {
			h.fail = func(op string) error {
				if op == "open" {
					return denied
				}
				return nil
			}
		}, session.ErrDenied},
		{"names", func(h *host) {
			h.value = func(string, uint32) *rpc.Value { return &rpc.Value{Code: rpc.CodeAccessDenied} }
		}, session.ErrDenied},
		{"objects", func(h *host) {
			h.value = func(name string, _ uint32) *rpc.Value {
				if name == "Global" {
					return &rpc.Value{Code: rpc.CodeAccessDenied}
				}
				return nil
			}
		}, session.ErrDenied},
		{"dial", func(h *host) { h.fail = func(string) error { return errCut } }, errCut},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := windows()
			c.host(h)
			s := New(Options{Reach: Reach{Host: "web01", Dial: h.dial}})
			_, err := s.Catalogue(t.Context())
			var shown *session.HostError
			if !errors.Is(err, c.want) || !errors.As(err, &shown) || shown.Host != "web01" {
				t.Fatalf("%v", err)
			}
			if errors.Is(err, session.ErrDenied) && shown.Hint() == "" {
				t.Error("no hint")
			}
			if !errors.Is(err, errCut) && h.closed != 1 {
				t.Errorf("%d connections closed", h.closed)
			}
		})
	}
}

func TestDamagedObjectsAreSaid(t *testing.T) {
	h := windows()
	whole := h.answer(dataKey, "Global")
	h.value = func(name string, _ uint32) *rpc.Value {
		if name == "Global" {
			return &rpc.Value{Data: whole[:len(whole)-400]} // though the buffer had room
		}
		return nil
	}
	r := newRig(t, h, Options{})
	if len(r.cat.Sets) == 0 || len(r.source.Warnings()) == 0 {
		t.Errorf("sets %q, %v", setNames(r.cat), r.source.Warnings())
	}
}

func TestHostsShareDescriptions(t *testing.T) {
	var shared cache.Shared
	a := newRig(t, windows(), Options{Reach: Reach{Shared: &shared}})
	b := newRig(t, windows(), Options{Reach: Reach{Shared: &shared}})
	if a.cat.Set("Process") != b.cat.Set("Process") {
		t.Error("the same set is there twice")
	}
}

func TestCatalogueIsKeptBetweenRuns(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	var shared cache.Shared
	h := windows()
	first := newRig(t, h, Options{Reach: Reach{CacheDir: dir, Shared: &shared}})
	refreshed := make(chan *session.Catalogue, 1)
	again := func() *rig {
		h.asked = nil
		return newRig(t, h, Options{Reach: Reach{CacheDir: dir, Shared: &shared, Refreshed: func(c *session.Catalogue) { refreshed <- c }}})
	}
	second := again()
	if len(h.asked) != 0 || !reflect.DeepEqual(first.cat.Names, second.cat.Names) || first.cat.Set("Process") != second.cat.Set("Process") {
		t.Errorf("asked %q", h.asked)
	}
	second.selects(second.want("Memory"))
	second.source.copy.Wait()
	if len(refreshed) != 0 {
		t.Error("an unchanged catalogue was renewed")
	}
	if b := second.beat(); b.Sets[0].Err != nil {
		t.Error(b.Sets[0].Err)
	}
	h.english[4] = "Arbeitsspeicher"
	third := again()
	third.selects()
	fresh := <-refreshed
	third.source.copy.Wait()
	if fresh.Set("Arbeitsspeicher") == nil || fresh.Set("Process") != third.cat.Set("Process") {
		t.Errorf("sets %q", setNames(fresh))
	}
	fourth := again()
	if fourth.cat.Set("Arbeitsspeicher") == nil {
		t.Error("the new catalogue was not kept")
	}
	fourth.source.Forget()
	if _, err := fourth.source.Catalogue(t.Context()); err != nil || !slices.Contains(h.asked, "Global") {
		t.Errorf("asked %q, %v", h.asked, err)
	}
	for _, r := range []*rig{first, second, third, fourth} {
		_ = r.source.Close()
	}
	if h.closed != h.dials || h.keys != 0 {
		t.Errorf("%d of %d connections closed, %d keys open", h.closed, h.dials, h.keys)
	}
}
