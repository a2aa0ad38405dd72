package local

import (
	"perfdeck/session"
	"perfdeck/session/hosts/service"
)

// groups is the table of all countersets on Linux.
func groups() []group {
	return append([]group{
		{counterset: listed("Processor Information").withOrigins, open: newProcessorInformation, probe: true},
		{counterset: listed("Processor").withOrigins, open: newProcessorByNumber, probe: true},
		{counterset: listed(session.ProcessorLimit).withOrigins, open: newProcessorLimits, probe: true, why: whyNoLimit},
		{counterset: listed(session.MemoryLimit).withOrigins, open: newMemoryLimits, probe: true, why: whyNoLimit},
		{counterset: listed("Memory").withOrigins, open: newMemoryCollector, probe: true},
		{counterset: listed("Memory Use").withOrigins, open: newMemoryUse},
		{counterset: listed("System").withOrigins, open: newSystemCollector, probe: true, scans: true},
		{counterset: listed("Process").withOrigins, open: newProcessCollector, scans: true},
		{counterset: listed("Process Exits").withOrigins, open: newProcessExits, scans: true},
		{counterset: listed("Paging File").withOrigins, open: newPagingFiles},
		{counterset: listed("PhysicalDisk").withOrigins, open: newPhysicalDisks, probe: true},
		{counterset: listed("LogicalDisk").withOrigins, open: newLogicalDisks},
		{counterset: listed("Network Interface").withOrigins, open: newNetworks},
		{counterset: listed("Thread").withOrigins, open: newThreads, scans: true},
		{counterset: listed("Thermal Zone Information").withOrigins, open: newThermals},
		{counterset: listed("Control Group").withOrigins, open: newControlGroups},
		{counterset: listed("Pressure Stall Information").withOrigins, open: newPressures, probe: true},
		{counterset: service.Set, open: newServices, scans: true, absent: func(o *Options) string { return service.Systemd{Root: o.Run}.Absent() }},
	}, protocolGroups()...)
}

// columnsHere are the columns of a want: what is absent is looked for, too.
func columnsHere[T any](rows []counter[T], w *session.Want) []column[T] { return columns(rows, w) }
