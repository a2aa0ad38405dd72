package collectorset

// property is an element with a value: which field it fills. Tables of them are in the
// order of exports (MS-PLA 3.2.4.19); reading, writing and checks go by them.
type property[T any] struct {
	name  string
	field func(*T) any // *bool, *uint32, *string, *[]string, *Date, *Clock or *inner
	most  uint32       // of a number; 0: any
	least uint32       // of a number
	once  bool         // -1 is OneSample
}

// inner is the XML inside an element, as it is written.
type inner string

// The elements that are no property.
const (
	rootElement     = "DataCollectorSet"
	scheduleElement = "Schedule"
	counterElement  = "PerformanceCounterDataCollector"
	alertElement    = "AlertDataCollector"
	managerElement  = "DataManager"
	actionElement   = "FolderAction"
)

// keptElements are collectors that do not run here.
var keptElements = []string{"TraceDataCollector", "ConfigurationDataCollector", "ApiTracingDataCollector"}

// setBefore and setAfter are the properties of a set before and behind its schedules.
var setBefore = []property[Set]{
	{name: "Status", field: func(s *Set) any { return &s.Status }, most: 4},
	{name: "Keyword", field: func(s *Set) any { return &s.Keywords }},
	{name: "Duration", field: func(s *Set) any { return &s.Duration }},
	{name: "Description", field: func(s *Set) any { return &s.Description }},
	{name: "DescriptionUnresolved", field: func(s *Set) any { return &s.DescriptionUnresolved }},
	{name: "DisplayName", field: func(s *Set) any { return &s.DisplayName }},
	{name: "DisplayNameUnresolved", field: func(s *Set) any { return &s.DisplayNameUnresolved }},
	{name: "SchedulesEnabled", field: func(s *Set) any { return &s.SchedulesEnabled }},
}

var setAfter = []property[Set]{
	{name: "LatestOutputLocation", field: func(s *Set) any { return &s.LatestOutputLocation }},
	{name: "Name", field: func(s *Set) any { return &s.Name }},
	{name: "OutputLocation", field: func(s *Set) any { return &s.OutputLocation }},
	{name: "RootPath", field: func(s *Set) any { return &s.RootPath }},
	{name: "Segment", field: func(s *Set) any { return &s.Segment }},
	{name: "SegmentMaxDuration", field: func(s *Set) any { return &s.SegmentMaxDuration }},
	{name: "SegmentMaxSize", field: func(s *Set) any { return &s.SegmentMaxSize }},
	{name: "SerialNumber", field: func(s *Set) any { return &s.SerialNumber }},
	{name: "Server", field: func(s *Set) any { return &s.Server }},
	{name: "Subdirectory", field: func(s *Set) any { return &s.Subdirectory }},
	{name: "SubdirectoryFormat", field: func(s *Set) any { return &s.SubdirectoryFormat }},
	{name: "SubdirectoryFormatPattern", field: func(s *Set) any { return &s.SubdirectoryPattern }},
	{name: "Task", field: func(s *Set) any { return &s.Task }},
	{name: "TaskRunAsSelf", field: func(s *Set) any { return &s.TaskRunAsSelf }},
	{name: "TaskArguments", field: func(s *Set) any { return &s.TaskArguments }},
	{name: "TaskUserTextArguments", field: func(s *Set) any { return &s.TaskUserTextArguments }},
	{name: "UserAccount", field: func(s *Set) any { return &s.UserAccount }},
	{name: "Security", field: func(s *Set) any { return &s.Security }},
	{name: "StopOnCompletion", field: func(s *Set) any { return &s.StopOnCompletion }},
}

var scheduleProperties = []property[Schedule]{
	{name: "StartDate", field: func(s *Schedule) any { return &s.StartDate }},
	{name: "EndDate", field: func(s *Schedule) any { return &s.EndDate }},
	{name: "StartTime", field: func(s *Schedule) any { return &s.StartTime }},
	{name: "Days", field: func(s *Schedule) any { return &s.Days }, most: EveryDay},
}

// typeElement says what a collector is, which its element says, too.
const typeElement = "DataCollectorType"

var collectorProperties = []property[Collector]{
	{name: "Name", field: func(c *Collector) any { return &c.Name }},
	{name: "FileName", field: func(c *Collector) any { return &c.FileName }},
	{name: "FileNameFormat", field: func(c *Collector) any { return &c.FileNameFormat }},
	{name: "FileNameFormatPattern", field: func(c *Collector) any { return &c.FileNamePattern }},
	{name: "LogAppend", field: func(c *Collector) any { return &c.LogAppend }},
	{name: "LogCircular", field: func(c *Collector) any { return &c.LogCircular }},
	{name: "LogOverwrite", field: func(c *Collector) any { return &c.LogOverwrite }},
	{name: "LatestOutputLocation", field: func(c *Collector) any { return &c.LatestOutputLocation }},
}

var counterProperties = []property[Collector]{
	{name: "DataSourceName", field: func(c *Collector) any { return &c.DataSourceName }},
	{name: "SampleInterval", field: func(c *Collector) any { return &c.SampleInterval }, least: 1},
	{name: "SegmentMaxRecords", field: func(c *Collector) any { return &c.SegmentMaxRecords }},
	{name: "LogFileFormat", field: func(c *Collector) any { return &c.LogFileFormat }, most: Binary},
	{name: "Counter", field: func(c *Collector) any { return &c.Counters }},
}

var alertProperties = []property[Collector]{
	{name: "Alert", field: func(c *Collector) any { return &c.Alerts }},
	{name: "EventLog", field: func(c *Collector) any { return &c.EventLog }},
	{name: "SampleInterval", field: func(c *Collector) any { return &c.SampleInterval }, least: 1, once: true},
	{name: "Task", field: func(c *Collector) any { return &c.Task }},
	{name: "TaskRunAsSelf", field: func(c *Collector) any { return &c.TaskRunAsSelf }},
	{name: "TaskArguments", field: func(c *Collector) any { return &c.TaskArguments }},
	{name: "TaskUserTextArguments", field: func(c *Collector) any { return &c.TaskUserTextArguments }},
	{name: "TriggerDataCollectorSet", field: func(c *Collector) any { return &c.Trigger }},
}

// kinds are the collectors that run here.
var kinds = [...]struct {
	element    string
	number     uint32 // DataCollectorType, MS-PLA 2.2.2.2
	properties []property[Collector]
	lines      string // the property that repeats
	shown      string // its localized copy, which is rewritten
}{
	Counters: {counterElement, 0, counterProperties, "Counter", "CounterDisplayName"},
	Alerts:   {alertElement, 3, alertProperties, "Alert", "AlertDisplayName"},
}

// lines are the paths or thresholds of a collector.
func (c *Collector) lines() *[]string {
	if c.Kind == Alerts {
		return &c.Alerts
	}
	return &c.Counters
}

// schemaElement is in no export that has none, unlike all others.
const schemaElement = "ReportSchema"

var managerProperties = []property[Manager]{
	{name: "Enabled", field: func(m *Manager) any { return &m.Enabled }},
	{name: "CheckBeforeRunning", field: func(m *Manager) any { return &m.CheckBeforeRunning }},
	{name: "MinFreeDisk", field: func(m *Manager) any { return &m.MinFreeDisk }},
	{name: "MaxSize", field: func(m *Manager) any { return &m.MaxSize }},
	{name: "MaxFolderCount", field: func(m *Manager) any { return &m.MaxFolderCount }},
	{name: "ResourcePolicy", field: func(m *Manager) any { return &m.ResourcePolicy }, most: DeleteOldest},
	{name: "ReportFileName", field: func(m *Manager) any { return &m.ReportFileName }},
	{name: "RuleTargetFileName", field: func(m *Manager) any { return &m.RuleTargetFileName }},
	{name: "EventsFileName", field: func(m *Manager) any { return &m.EventsFileName }},
	{name: schemaElement, field: func(m *Manager) any { return (*inner)(&m.ReportSchema) }},
	{name: "Rules", field: func(m *Manager) any { return (*inner)(&m.Rules) }},
}

var actionProperties = []property[FolderAction]{
	{name: "Size", field: func(a *FolderAction) any { return &a.Size }},
	{name: "Age", field: func(a *FolderAction) any { return &a.Age }},
	{name: "Actions", field: func(a *FolderAction) any { return &a.Actions }, most: allActions},
	{name: "SendCabTo", field: func(a *FolderAction) any { return &a.SendCabTo }},
}
