package rulepack

import (
	"maps"
	"slices"

	"perfdeck/cooker"
	"perfdeck/session"
)

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
	}},
	{"System", session.SingleInstance, map[string]cooker.CounterType{"Processor Queue Length": cooker.CounterRawCount}},
	{"Memory", session.SingleInstance, map[string]cooker.CounterType{
		"Available Bytes": cooker.CounterLargeRawCount, "Available KBytes": cooker.CounterLargeRawCount, "Available MBytes": cooker.CounterLargeRawCount,
		"% Committed Bytes In Use": cooker.RawFraction, "Pages Input/sec": cooker.CounterCounter,
	}},
	{"Paging File", session.MultipleInstances, map[string]cooker.CounterType{"% Usage": cooker.RawFraction, "% Usage Peak": cooker.RawFraction}},
	{"PhysicalDisk", session.MultipleInstances, map[string]cooker.CounterType{"Avg. Disk sec/Transfer": cooker.AverageTimer, "Current Disk Queue Length": cooker.CounterRawCount}},
	{"LogicalDisk", session.MultipleInstances, map[string]cooker.CounterType{"% Free Space": cooker.RawFraction, "Free Megabytes": cooker.CounterRawCount}},
	{"Network Interface", session.MultipleInstances, map[string]cooker.CounterType{"Output Queue Length": cooker.CounterLargeRawCount, "Bytes Total/sec": cooker.CounterBulkCount}},
	{"TCPv4", session.SingleInstance, map[string]cooker.CounterType{"Segments Retransmitted/sec": cooker.CounterCounter}},
	{"TCPv6", session.SingleInstance, map[string]cooker.CounterType{"Segments Retransmitted/sec": cooker.CounterCounter}},
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
				ID: uint32(len(set.Counters)), Name: name, Type: t, Quantity: cooker.QuantityOf(t, name), BaseID: session.NoID, PerfTimeID: session.NoID, PerfFreqID: session.NoID, MultiID: session.NoID,
			})
		}
		cat.Sets = append(cat.Sets, set)
	}
	return cat
}
