// Package rulepack holds starter packs of alert rules: a handful for each subject,
// with a sentence each on why. They stand as tables of the config file, so that
// users can copy them there and change them.
package rulepack

import (
	"embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/alert"
	"perfdeck/session/config"
)

//go:embed packs/*.toml
var packs embed.FS

// names are the packs, in the order of lists.
var names = []string{"processor", "memory", "disk", "network", "sqlserver", "iis"}

// Names are the packs.
func Names() []string { return names }

// UnknownError says that there is no such pack.
type UnknownError struct{ Name string }

func (e *UnknownError) Error() string { return fmt.Sprintf("alert pack %q: there is none", e.Name) }

// Hint names those that there are.
func (e *UnknownError) Hint() string { return "packs: " + strings.Join(names, ", ") }

// Text is a pack as tables of the config file. The error is *UnknownError.
func Text(name string) (string, error) {
	text, err := packs.ReadFile("packs/" + name + ".toml")
	if err != nil {
		return "", &UnknownError{name}
	}
	return string(text), nil
}

// About is the sentence that a pack begins with; empty where there is no such pack.
func About(name string) string {
	text, _ := Text(name)
	line, _, _ := strings.Cut(strings.TrimPrefix(text, "# "), "\n")
	about, _, _ := strings.Cut(line, ". ")
	return about
}

// Rules are the rules of a pack. The error is *UnknownError.
func Rules(name string) ([]alert.Rule, error) {
	text, err := Text(name)
	if err != nil {
		return nil, err
	}
	c, _, err := config.Parse(alert.PackOrigin+name, []byte(text))
	if err != nil {
		return nil, err
	}
	return c.Alerts.Rules, nil
}

// known are the counters that packs are about, with their types on Windows, as its counter
// reference has them: for who writes about counters where no host is at hand that has them.
// A host's own types count more. Beside them stand those of nearly the same name.
var known = []struct {
	set       string
	instances session.InstanceType
	counters  map[string]cooker.CounterType
}{
	{"Processor Information", session.MultipleInstances, map[string]cooker.CounterType{
		"% Processor Time": cooker.Timer100nsInv, "% Privileged Time": cooker.Timer100ns, "% Interrupt Time": cooker.Timer100ns, "% DPC Time": cooker.Timer100ns,
		"% Steal": cooker.Timer100ns,
	}},
	{"Hyper-V Hypervisor Logical Processor", session.MultipleInstances, map[string]cooker.CounterType{"% Total Run Time": cooker.Timer100ns}},
	{"System", session.SingleInstance, map[string]cooker.CounterType{"Processor Queue Length": cooker.CounterRawCount}},
	{"Memory", session.SingleInstance, map[string]cooker.CounterType{
		"Available Bytes": cooker.CounterLargeRawCount, "Available KBytes": cooker.CounterLargeRawCount, "Available MBytes": cooker.CounterLargeRawCount,
		"% Committed Bytes In Use": cooker.RawFraction, "Pages Input/sec": cooker.CounterCounter, "OOM Kills": cooker.CounterLargeRawCount,
	}},
	{"Pressure Stall Information", session.MultipleInstances, map[string]cooker.CounterType{"% Some Stall Time": cooker.Timer100ns, "% Full Stall Time": cooker.Timer100ns}},
	{"Control Group", session.MultipleInstances, map[string]cooker.CounterType{"% Throttled Time": cooker.Timer100ns, "% Memory Limit": cooker.LargeRawFraction}},
	{"Paging File", session.MultipleInstances, map[string]cooker.CounterType{"% Usage": cooker.RawFraction, "% Usage Peak": cooker.RawFraction}},
	{"PhysicalDisk", session.MultipleInstances, map[string]cooker.CounterType{"Avg. Disk sec/Transfer": cooker.AverageTimer, "Current Disk Queue Length": cooker.CounterRawCount}},
	{"LogicalDisk", session.MultipleInstances, map[string]cooker.CounterType{"% Free Space": cooker.RawFraction, "Free Megabytes": cooker.CounterRawCount}},
	{"Network Interface", session.MultipleInstances, map[string]cooker.CounterType{
		"Output Queue Length": cooker.CounterLargeRawCount, "Bytes Total/sec": cooker.CounterBulkCount, "Current Bandwidth": cooker.CounterLargeRawCount,
		"Packets Received Discarded": cooker.CounterLargeRawCount, "Packets Received Errors": cooker.CounterLargeRawCount, "Packets Received/sec": cooker.CounterCounter,
	}},
	{"TCPv4", session.SingleInstance, map[string]cooker.CounterType{"Segments Retransmitted/sec": cooker.CounterCounter, "Segments Sent/sec": cooker.CounterCounter}},
	{"TCPv6", session.SingleInstance, map[string]cooker.CounterType{"Segments Retransmitted/sec": cooker.CounterCounter, "Segments Sent/sec": cooker.CounterCounter}},
	{"SQLServer:Buffer Manager", session.SingleInstance, map[string]cooker.CounterType{
		"Page life expectancy": cooker.CounterLargeRawCount, "Free list stalls/sec": cooker.CounterBulkCount, "Lazy writes/sec": cooker.CounterBulkCount,
	}},
	{"SQLServer:Memory Manager", session.SingleInstance, map[string]cooker.CounterType{"Memory Grants Pending": cooker.CounterLargeRawCount}},
	{"SQLServer:General Statistics", session.SingleInstance, map[string]cooker.CounterType{"Processes blocked": cooker.CounterLargeRawCount}},
	{"SQLServer:Locks", session.MultipleInstances, map[string]cooker.CounterType{"Number of Deadlocks/sec": cooker.CounterBulkCount}},
	{"SQLServer:Databases", session.MultipleInstances, map[string]cooker.CounterType{"Percent Log Used": cooker.CounterLargeRawCount}},
	{"HTTP Service Request Queues", session.MultipleInstances, map[string]cooker.CounterType{"CurrentQueueSize": cooker.CounterRawCount, "RejectionRate": cooker.CounterCounter}},
	{"APP_POOL_WAS", session.MultipleInstances, map[string]cooker.CounterType{"Current Application Pool State": cooker.CounterRawCount, "Recent Worker Process Failures": cooker.CounterRawCount}},
	{"ASP.NET", session.SingleInstance, map[string]cooker.CounterType{"Requests Queued": cooker.CounterRawCount}},
	{"ASP.NET Applications", session.MultipleInstances, map[string]cooker.CounterType{"Requests Rejected": cooker.CounterRawCount}},
}

// Catalogue has the counters of all packs.
func Catalogue() *session.Catalogue {
	cat := &session.Catalogue{}
	for _, k := range known {
		set := &session.Counterset{Name: k.set, Instances: k.instances}
		for _, name := range slices.Sorted(maps.Keys(k.counters)) {
			t := k.counters[name]
			set.Counters = append(set.Counters, session.Counter{
				ID: uint32(len(set.Counters)), Name: name, Type: t, Quantity: cooker.QuantityIn(t, k.set, name), BaseID: session.NoID, PerfTimeID: session.NoID, PerfFreqID: session.NoID, MultiID: session.NoID,
			})
		}
		cat.Sets = append(cat.Sets, set)
	}
	return cat
}

// Paths are the counters that the rules of a pack judge or work values out of, by its name or the beginning of one. A pack
// that there is not is an UnknownError.
func Paths(name string) (out []string, err error) {
	full := name
	for _, known := range names {
		if name != "" && strings.HasPrefix(known, strings.ToLower(name)) {
			full = known
			break
		}
	}
	rules, err := Rules(full)
	if err != nil {
		return nil, err
	}
	for i := range rules {
		for _, path := range rules[i].Paths() {
			if text := path.String(); path.Object != "" && !slices.Contains(out, text) {
				out = append(out, text)
			}
		}
	}
	return out, nil
}
