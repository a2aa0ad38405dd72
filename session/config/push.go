package config

import (
	"math"
	"time"

	"perfdeck/paths"
	"perfdeck/session"
)

const (
	pushTable  = "push"
	pushLabels = "labels"
)

// Push is a [[push]] table: an engine that samples are pushed to. Tags are those of the flags of perfdeck push.
type Push struct {
	Name     string
	URL      string
	Paths    []string
	Sets     []string
	Packs    []string
	Hosts    []string      // empty: not said
	Interval time.Duration `flag:"interval"` // 0: not said
	Raw      bool          `flag:"raw" help:"push raw values, which explain --promql says how to cook"`
	Replica  string        `flag:"replica" help:"the label replica, for a pair that pushes the same hosts"`
	Labels   map[string]string

	EngineAccount
	QueueSize int64         `flag:"queue-size"` // bytes; 0: not said
	QueueAge  time.Duration `flag:"queue-age"`  // 0: not said
	Rate      int           `flag:"rate" help:"most samples a second that are sent while some wait (0: four times what comes in)"`
}

// Push finds one by its name, compared without case.
func (c *Config) Push(name string) (Push, bool) {
	return find(c.Pushes, func(p *Push) bool {
		return paths.EqualFold(p.Name, name)
	})
}

// The limits of [[push]].
const (
	leastQueue   = 1 << 20 // bytes
	mostQueueAge = 366 * 24 * time.Hour
	mostPushRate = 100_000_000
)

func decodePush(t table) Push {
	p := Push{Name: required(t, "name", name("a push")), URL: required(t, "url", text(`an address, as "http://127.0.0.1:9090/api/v1/write", without an account`, isWebURL))}
	set(t, "paths", texts(`counter paths, as ['\Memory\*']`, isCounterPath), &p.Paths)
	set(t, "countersets", texts(`names of countersets, as ["Memory"]`, plainText), &p.Sets)
	set(t, "packs", texts(`names of starter packs, as ["disk"]`, plainText), &p.Packs)
	set(t, "hosts", texts(`hosts, as ["web01"]`, isHost), &p.Hosts)
	set(t, "interval", duration(session.MinInterval, maxInterval), &p.Interval)
	set(t, "raw", yesNo(), &p.Raw)
	set(t, "replica", name("a replica"), &p.Replica)
	p.EngineAccount = t.engineAccount()
	set(t, "queue_size", size(), &p.QueueSize)
	set(t, "queue_age", duration(time.Minute, mostQueueAge), &p.QueueAge)
	set(t, "rate", whole(1, mostPushRate), &p.Rate)
	if p.QueueSize > 0 && p.QueueSize < leastQueue {
		t.wrong("queue_size", "1MB at least")
	}
	p.Labels = t.texts(pushLabels, math.MaxInt, func(string) bool { return true }, "", text("a text that can be seen", plainText))
	return p
}

// PushedAt are the hosts that pushes name. anywhere tells that one names none: those that are
// watched are meant.
func (c *Config) PushedAt() (names []string, anywhere bool) {
	for i := range c.Pushes {
		names = append(names, c.Pushes[i].Hosts...)
		anywhere = anywhere || len(c.Pushes[i].Hosts) == 0
	}
	return names, anywhere
}
