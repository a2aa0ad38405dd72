package local

import (
	"perfdeck/session"
	"perfdeck/session/hosts/service"
)

// groups is the table of all countersets on Linux.
func groups() []group {
	return append([]group{
		{counterset: processorOrigins.from(processorInformationSet), open: newProcessorInformation, probe: true},
		{counterset: processorOrigins.from(processorSet), open: newProcessorByNumber, probe: true},
		{counterset: processorLimitOrigins.from(processorLimitSet), open: newProcessorLimits, probe: true, why: whyNoLimit},
		{counterset: memoryLimitOrigins.from(memoryLimitSet), open: newMemoryLimits, probe: true, why: whyNoLimit},
		{counterset: memoryOrigins.from(memorySet), open: newMemoryCollector, probe: true},
		{counterset: memoryUseOrigins.from(memoryUseSet), open: newMemoryUse},
		{counterset: systemOrigins.from(systemSet), open: newSystemCollector, probe: true, scans: true},
		{counterset: processOrigins.from(processSet), open: newProcessCollector, scans: true},
		{counterset: processExitOrigins.from(processExitsSet), open: newProcessExits, scans: true},
		{counterset: pagingFileOrigins.from(pagingFileSet), open: newPagingFiles},
		{counterset: diskOrigins.from(physicalDiskSet), open: newPhysicalDisks, probe: true},
		{counterset: diskOrigins.from(logicalDiskSet), open: newLogicalDisks},
		{counterset: networkOrigins.from(networkSet), open: newNetworks},
		{counterset: threadOrigins.from(threadSet), open: newThreads, scans: true},
		{counterset: thermalOrigins.from(thermalSet), open: newThermals},
		{counterset: controlGroupOrigins.from(controlGroupSet), open: newControlGroups},
		{counterset: pressureOrigins.from(pressureSet), open: newPressures, probe: true},
		{counterset: service.Set, open: newServices, scans: true, absent: func(o *Options) string { return service.Systemd{Root: o.Run}.Absent() }},
	}, protocolGroups()...)
}

// single is what collectors of countersets without instances share.
type single[T any] struct {
	rows  []counter[T]
	cols  []column[T]
	needs uint32
}

func (s *single[T]) choose(w *session.Want) {
	s.cols = columns(s.rows, w)
	s.needs = needsOf(s.cols)
}

// fill adds the one row.
func (s *single[T]) fill(b *session.SetBatch, t *T) {
	b.Instances = append(b.Instances, session.Instance{})
	appendRow(b, s.cols, t)
}

// origins of a counterset: by the name of a counter the kernel's files that it comes from.
// Names of values are the kernel's; fields count from 1. What stands after "else"
// is read where the first is not there.
type origins map[string]string

// from writes the origin of each counter behind its description.
func (o origins) from(set func() *session.Counterset) func() *session.Counterset {
	return func() *session.Counterset {
		s := set()
		for i := range s.Counters {
			if from := o[s.Counters[i].Name]; from != "" {
				s.Counters[i].Description += ". From " + from
			}
		}
		return s
	}
}
