package config

import (
	"slices"
	"time"

	"perfdeck/paths"
	"perfdeck/session"
)

const (
	pushTable  = "push"
	pushLabels = "labels"
)

// pushKeys are the keys of [[push]], but for those that say where secrets are.
var (
	pushKeys = []sample{
		{"name", `"prometheus"`, "As --to calls it, unlike every other one."},
		{"url", `"http://127.0.0.1:9090/api/v1/write"`, "Where it takes remote write. Secrets go to https:// only, or to this computer."},
		{"paths", `['\Process(*)\% Processor Time']`, "Counters, with wildcards,"},
		{"countersets", `["Memory", "LogicalDisk"]`, "whole countersets,"},
		{"packs", `["disk"]`, "and what starter packs judge; without all three the usual countersets."},
		{"hosts", `["web01", "web02"]`, "Absent: this computer, in perfdeck watch all that are watched."},
		{"interval", `"15s"`, "Time between samples; absent: that of the program."},
		{"raw", "true", "Raw values, as counters that end in _total; perfdeck explain --promql cooks them."},
		{"replica", `"a"`, "The label replica: for a pair, each of which pushes the same hosts."},
		{"queue_size", `"1GB"`, "What waits on disk while the engine is away: the oldest goes beyond so much,"},
		{"queue_age", `"24h"`, "and beyond this age."},
		{"rate", "50000", "Samples a second that are sent while some wait; absent: four times what comes in."},
	}
	pushTokens = []sample{
		{tokenFile, `"/etc/perfdeck/push.token"`, "A bearer token: the first line of a file that only you may read,"},
		{tokenCommand, `["pass", "show", "push"]`, "of what a program prints,"},
		{tokenKeyring, `"perfdeck"`, "or that of this service and the name above in the system's keyring."},
	}
	pushPasswords = []sample{
		{"user", `"perfdeck"`, "Or an account of basic authentication, with its password likewise."},
		{passwordFile, `"/etc/perfdeck/push.password"`, ""},
	}
	pushLabelSamples = []sample{{"site", `"fra"`, "Labels of every series."}}
)

// Push is a [[push]] table: an engine that samples are pushed to.
type Push struct {
	Name     string
	URL      string
	Paths    []string
	Sets     []string
	Packs    []string
	Hosts    []string      // empty: not said
	Interval time.Duration // 0: not said
	Raw      bool
	Replica  string
	Labels   map[string]string

	EngineAccount
	QueueSize int64         // bytes; 0: not said
	QueueAge  time.Duration // 0: not said
	Rate      int           // 0: not said
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

// decodePushes reads the [[push]] tables.
func decodePushes(root table) []Push {
	return listed(root, pushTable, "push", func(p *Push) string { return p.Name }, func(t table) Push {
		t.without(tokenAt.bare, passwordAt.bare).warnUnknown(slices.Concat(sampleKeys(pushKeys), sampleKeys(engineKeys), sampleKeys(pushTokens), sampleKeys(pushPasswords),
			[]string{passwordAt.command, passwordAt.keyring, pushLabels}))
		return decodePush(t)
	})
}

func decodePush(t table) Push {
	p := Push{Name: required(t, "name", name("a push")), URL: required(t, "url", engineAddress())}
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
	if labels, ok := t.table(pushLabels); ok {
		p.Labels = map[string]string{}
		for key := range labels.values {
			if value := optional(labels, key, text("a text that can be seen", plainText)); value != nil {
				p.Labels[key] = *value
			}
		}
	}
	return p
}

// engineAddress takes an address of http or https without an account.
func engineAddress() reader[string] {
	return text(`an address, as "http://127.0.0.1:9090/api/v1/write", without an account`, isWebURL)
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
