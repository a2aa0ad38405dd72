package local

// groups is the table of all countersets on Linux.
func groups() []group {
	return append([]group{
		{counterset: processorOrigins.from(processorInformationSet), open: newProcessorInformation, probe: true},
		{counterset: processorOrigins.from(processorSet), open: newProcessorByNumber, probe: true},
		{counterset: memoryOrigins.from(memorySet), open: newMemoryCollector, probe: true},
		{counterset: systemOrigins.from(systemSet), open: newSystemCollector, probe: true},
		{counterset: processOrigins.from(processSet), open: newProcessCollector, scans: true},
		{counterset: pagingFileOrigins.from(pagingFileSet), open: newPagingFiles},
		{counterset: diskOrigins.from(physicalDiskSet), open: newPhysicalDisks, probe: true},
		{counterset: diskOrigins.from(logicalDiskSet), open: newLogicalDisks},
		{counterset: networkOrigins.from(networkSet), open: newNetworks},
		{counterset: threadOrigins.from(threadSet), open: newThreads, scans: true},
		{counterset: thermalOrigins.from(thermalSet), open: newThermals},
		{counterset: controlGroupOrigins.from(controlGroupSet), open: newControlGroups},
		{counterset: pressureOrigins.from(pressureSet), open: newPressures, probe: true},
	}, protocolGroups()...)
}
