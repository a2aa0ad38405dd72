package pcq

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"perfdeck/session"
	"perfdeck/session/perflib"
)

const (
	cacheVersion = 1        // of keptCatalogue and all it holds
	maxCache     = 64 << 20 // bytes of a file
)

// keptCatalogue is the file of a host's catalogue.
type keptCatalogue struct {
	Version int                   `json:"version"`
	Host    string                `json:"host"`
	LCID    uint32                `json:"lcid"` // language of the labels
	Sets    []*session.Counterset `json:"sets"`
}

// cachePath is a file of its own for each host and language. Host names hold
// characters that file names may not.
func (s *Source) cachePath() string {
	host := strings.ToLower(s.options.Host)
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d", host, s.options.LCID))
	return filepath.Join(s.options.CacheDir, "pcq-"+hex.EncodeToString(sum[:12])+".json")
}

// load gives the catalogue kept of an earlier run, nil where there is none that
// can be used.
func (s *Source) load() *session.Catalogue {
	if s.options.CacheDir == "" {
		return nil
	}
	f, err := os.Open(s.cachePath())
	if err != nil {
		return nil
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxCache+1))
	if err != nil || len(text) > maxCache {
		return nil
	}
	return s.parseKept(text)
}

// parseKept reads a cache file. Whatever is odd about it makes it useless.
func (s *Source) parseKept(text []byte) *session.Catalogue {
	var k keptCatalogue
	//nolint:musttag // the model's names are the file's, under cacheVersion
	if json.Unmarshal(text, &k) != nil || k.Version != cacheVersion ||
		!strings.EqualFold(k.Host, s.options.Host) || k.LCID != s.options.LCID || len(k.Sets) == 0 {
		return nil
	}
	for i, set := range k.Sets {
		if set == nil || set.Name == "" {
			return nil
		}
		g, err := perflib.ParseGUID(set.GUID)
		if err != nil {
			return nil
		}
		set.GUID = g.String()
		k.Sets[i] = s.options.Shared.one(set)
	}
	return &session.Catalogue{Host: s.options.Host, Sets: k.Sets}
}

// Kept is the catalogue kept of an earlier run; nil if there is none.
func (s *Source) Kept() *session.Catalogue {
	if s.refresh.kept == nil {
		s.refresh.kept = s.load()
	}
	return s.refresh.kept
}

// Forget removes the catalogue kept of an earlier run, so that Catalogue reads
// that of the host.
func (s *Source) Forget() {
	s.refresh.stop()
	s.refresh.kept = nil
	if s.options.CacheDir != "" {
		_ = os.Remove(s.cachePath()) // it may not be there
	}
}

// keep writes the catalogue for the next run: whole or not at all. That it
// cannot be kept does no harm now.
func (s *Source) keep(cat *session.Catalogue) {
	if s.options.CacheDir == "" || len(cat.Sets) == 0 {
		return
	}
	text, err := s.keptText(cat)
	if err != nil || len(text) > maxCache {
		return
	}
	if os.MkdirAll(s.options.CacheDir, 0o700) != nil {
		return
	}
	f, err := os.CreateTemp(s.options.CacheDir, "pcq-*.tmp") // mode 0600
	if err != nil {
		return
	}
	_, err = f.Write(text)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), s.cachePath())
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
}

func (s *Source) keptText(cat *session.Catalogue) ([]byte, error) {
	//nolint:musttag // see parseKept
	return json.Marshal(keptCatalogue{cacheVersion, s.options.Host, s.options.LCID, cat.Sets})
}
