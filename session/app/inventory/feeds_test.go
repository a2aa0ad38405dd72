package inventory

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"perfdeck/session"
	"perfdeck/session/config"
	"perfdeck/session/hosts/feed"
	"perfdeck/session/hosts/manifest"
)

// plainSource has one counterset, which nobody asks.
type plainSource struct{ closed bool }

func (*plainSource) Catalogue(context.Context) (*session.Catalogue, error) {
	return &session.Catalogue{Sets: []*session.Counterset{{GUID: "own", Name: "Own"}}}, nil
}
func (*plainSource) Open(context.Context) (session.Query, error) { return nil, errors.ErrUnsupported }
func (s *plainSource) Close() error                              { s.closed = true; return nil }

func setNames(t *testing.T, s session.Source) (names []string) {
	t.Helper()
	cat, err := s.Catalogue(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, set := range cat.Sets {
		names = append(names, set.Name)
	}
	return names
}

const fedManifest = `<counters xmlns="http://schemas.microsoft.com/win/2005/12/counters" schemaVersion="1.1">
<provider providerName="Q" symbol="Q" providerGuid="{51D1685C-35ED-45BE-99FE-17261A4F27F4}" applicationIdentity="q.exe" providerType="userMode" callback="custom">
<counterSet guid="{0D2C1E0A-5E1B-4A53-8B0C-2D3C6A5C9F12}" uri="Q.Q" symbol="Q" name="Queue" description="d" instances="single">
<counter id="1" uri="Q.1" symbol="A" name="Length" description="d" type="perf_counter_large_rawcount" detailLevel="standard"/>
</counterSet></provider></counters>`

// What is served has what the config feeds beside its own, tells what of it cannot be
// read, and ends with it.
func TestServed(t *testing.T) {
	own := &plainSource{}
	if got, _ := inventoryOf(&config.Config{}).Served(own, nil); got != session.Source(own) {
		t.Error("something stands beside what has no feeds")
	}
	errMissing := errors.New("no such manifest")
	file, problems := manifest.Parse("q.man", []byte(fedManifest))
	if !manifest.Valid(problems) {
		t.Fatal(problems)
	}
	lines := filepath.Join(t.TempDir(), "lines")
	v := inventoryOf(&config.Config{Feeds: []config.Feed{{Name: "q", Manifests: []string{"q.man"}, File: lines}, {Name: "gone", Manifests: []string{"gone.man"}, File: lines}}})
	v.o.Manifests = func(names []string) ([]*manifest.File, error) {
		if names[0] != "q.man" {
			return nil, errMissing
		}
		return []*manifest.File{file}, nil
	}
	var mu sync.Mutex
	var told []error
	report := func(err error) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, err)
	}
	served, begin := v.Served(own, report)
	begin()
	if names := setNames(t, served); !slices.Contains(names, "Own") || !slices.Contains(names, "Queue") {
		t.Errorf("serves %q", names)
	}
	mu.Lock()
	if !slices.ContainsFunc(told, func(err error) bool { return errors.Is(err, errMissing) }) {
		t.Errorf("told %v", told)
	}
	mu.Unlock()
	if err := served.Close(); err != nil || !own.closed {
		t.Errorf("closed: %v, %v", own.closed, err)
	}
	fed := v.ServedFeed([]*manifest.File{file}, []feed.Inlet{{File: lines}}, report)
	defer fed.Close()
	if names := setNames(t, fed); !slices.Equal(names, []string{"Queue"}) {
		t.Errorf("a manifest serves %q", names)
	}
}
