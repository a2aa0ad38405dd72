package config

import (
	"fmt"
	"time"

	"perfdeck/paths"
	"perfdeck/session/system/httpclient"
)

const (
	feedTable   = "feed"
	feedMetrics = "metrics"
	mostMetrics = 1000
)

// feedSources are the keys that say where the lines of a feed come from.
var feedSources = []string{"command", "file", "socket", "url"}

// Feed is a [[feed]] table: where the values of manifests come from.
type Feed struct {
	Name      string
	Manifests []string // files
	Keep      time.Duration
	Every     time.Duration // 0 as of Keep: not said

	// One of the four; files are absolute, or below ~/.
	Command           []string
	File, Socket, URL string

	Metrics map[string]paths.Path // counters by the name of a sample
}

func decodeFeed(t table) Feed {
	f := Feed{Name: required(t, "name", name("a feed"))}
	f.Manifests = required(t, "manifests", texts(`files, as ["~/queue.man"]`, isWholePath))
	set(t, "keep", duration(time.Second, maxInterval), &f.Keep)
	set(t, "every", duration(time.Second, maxInterval), &f.Every)
	var given []string
	for _, key := range feedSources {
		if _, there := t.value(key); there {
			given = append(given, key)
		}
	}
	if len(given) == 0 {
		t.missing("command", "a program that prints lines; or file, socket or url")
	}
	for _, key := range given[min(1, len(given)):] {
		t.wrong(key, "one of command, file, socket and url")
	}
	if v, there := t.value("command"); there {
		f.Command = t.command("command", v)
	}
	set(t, "file", wholePath(), &f.File)
	set(t, "socket", wholePath(), &f.Socket)
	set(t, "url", text(`an address on this computer, as "http://127.0.0.1:9100/metrics"`, isOwnAddress), &f.URL)
	f.Metrics = decodeMetrics(t)
	return f
}

func decodeMetrics(t table) map[string]paths.Path {
	m, ok := t.table(feedMetrics)
	if !ok {
		return nil
	}
	names := m.keys()
	if len(names) > mostMetrics {
		t.wrong(feedMetrics, fmt.Sprintf("at most %d names", mostMetrics))
		return nil
	}
	out := map[string]paths.Path{}
	for _, name := range names {
		path := optional(m, name, text(`a counter path, as '\Queue({queue})\Jobs/sec'`, isCounterPath))
		if path != nil {
			out[name], _ = paths.Parse(*path)
		}
	}
	return out
}

// isOwnAddress tells an http address of this computer.
func isOwnAddress(s string) bool {
	u, ok := webURL(s)
	return ok && u.Scheme == "http" && httpclient.IsOwnHost(u)
}
