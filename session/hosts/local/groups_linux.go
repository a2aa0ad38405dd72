package local

import (
	"perfdeck/session"
	"perfdeck/session/hosts/service"
)

// groups is the table of all countersets on Linux.
func groups() []group {
	listed := map[string]*session.Counterset{}
	for _, s := range machineSets() {
		listed[s.Name] = s.withOrigins()
	}
	return append([]group{
		{counterset: listed["Processor Information"], open: newProcessorInformation, probe: true},
		{counterset: listed["Processor"], open: newProcessorByNumber, probe: true},
		{counterset: listed[session.ProcessorLimit], open: newProcessorLimits, probe: true, why: whyNoLimit},
		{counterset: listed[session.MemoryLimit], open: newMemoryLimits, probe: true, why: whyNoLimit},
		{counterset: listed["Memory"], open: newMemoryCollector, probe: true},
		{counterset: listed["Memory Use"], open: newMemoryUse},
		{counterset: listed["System"], open: newSystemCollector, probe: true, scans: true},
		{counterset: listed["Process"], open: newProcessCollector, scans: true},
		{counterset: listed["Process Exits"], open: newProcessExits, scans: true},
		{counterset: listed["Paging File"], open: newPagingFiles},
		{counterset: listed["PhysicalDisk"], open: newPhysicalDisks, probe: true},
		{counterset: listed["LogicalDisk"], open: newLogicalDisks},
		{counterset: listed["Network Interface"], open: newNetworks},
		{counterset: listed["Thread"], open: newThreads, scans: true},
		{counterset: listed["Thermal Zone Information"], open: newThermals},
		{counterset: listed["Control Group"], open: newControlGroups},
		{counterset: listed["Pressure Stall Information"], open: newPressures, probe: true},
		{counterset: service.Set(), open: newServices, scans: true, absent: func(o *Options) string { return service.Systemd{Root: o.Run}.Absent() }},
	}, protocolGroups()...)
}

// columnsHere are the columns of a want: what is absent is looked for, too.
func columnsHere[T any](rows []counter[T], w *session.Want) []column[T] { return columns(rows, w) }
