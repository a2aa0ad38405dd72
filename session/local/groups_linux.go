package local

// groups is the table of all countersets on Linux.
func groups() []group {
	return append([]group{
		{counterset: processorInformationSet, open: newProcessorInformation, probe: true},
		{counterset: processorSet, open: newProcessorByNumber, probe: true},
		{counterset: memorySet, open: newMemoryCollector, probe: true},
		{counterset: systemSet, open: newSystemCollector, probe: true},
		{counterset: processSet, open: newProcessCollector, scans: true},
		{counterset: pagingFileSet, open: newPagingFiles},
		{counterset: physicalDiskSet, open: newPhysicalDisks, probe: true},
		{counterset: logicalDiskSet, open: newLogicalDisks},
		{counterset: networkSet, open: newNetworks},
		{counterset: threadSet, open: newThreads, scans: true},
		{counterset: thermalSet, open: newThermals},
		{counterset: controlGroupSet, open: newControlGroups},
		{counterset: pressureSet, open: newPressures, probe: true},
	}, protocolGroups()...)
}
