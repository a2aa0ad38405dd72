package collectorset

import "reflect"

// property is an element with a value: which field it fills. Tables of them are in the
// order of exports (MS-PLA 3.2.4.19); reading, writing and checks go by them.
type property[T any] struct {
	name  string
	index int    // of the field
	most  uint32 // of a number; 0: any
	least uint32 // of a number
	once  bool   // -1 is OneSample
}

// field is what it fills: a *bool, *uint32, *string, *[]string, *Date, *Clock or *Inner.
func (p *property[T]) field(v *T) any {
	return reflect.ValueOf(v).Elem().Field(p.index).Addr().Interface()
}

// properties are those of fields. An element is called as its field, or as the field's tag says.
func properties[T any](fields ...string) []property[T] {
	out := make([]property[T], len(fields))
	for i, name := range fields {
		f, _ := reflect.TypeFor[T]().FieldByName(name)
		if tag := f.Tag.Get("pla"); tag != "" {
			name = tag
		}
		out[i] = property[T]{name: name, index: f.Index[0], most: mostOf[name], least: leastOf[name]}
	}
	return out
}

// mostOf and leastOf bound the numbers of elements.
var (
	mostOf  = map[string]uint32{"Status": 4, "Days": EveryDay, "LogFileFormat": Binary, "ResourcePolicy": DeleteOldest, "Actions": allActions}
	leastOf = map[string]uint32{intervalElement: 1}
)

// Inner is the XML inside an element, as it is written.
type Inner string

// The elements that are no property.
const (
	rootElement     = "DataCollectorSet"
	scheduleElement = "Schedule"
	counterElement  = "PerformanceCounterDataCollector"
	alertElement    = "AlertDataCollector"
	managerElement  = "DataManager"
	actionElement   = "FolderAction"
	intervalElement = "SampleInterval"
)

// keptElements are collectors that do not run here.
var keptElements = []string{"TraceDataCollector", "ConfigurationDataCollector", "ApiTracingDataCollector"}

// setBefore and setAfter are the properties of a set before and behind its schedules.
var setBefore = properties[Set](
	"Status", "Keywords", "Duration", "Description", "DescriptionUnresolved", "DisplayName", "DisplayNameUnresolved",
	"SchedulesEnabled",
)

var setAfter = properties[Set](
	"LatestOutputLocation", "Name", "OutputLocation", "RootPath", "Segment", "SegmentMaxDuration", "SegmentMaxSize",
	"SerialNumber", "Server", "Subdirectory", "SubdirectoryFormat", "SubdirectoryPattern", "Task", "TaskRunAsSelf",
	"TaskArguments", "TaskUserTextArguments", "UserAccount", "Security", "StopOnCompletion",
)

// member is what there can be several of in an element.
type member[T any] struct {
	name  string
	table []property[T]
}

var (
	schedules = member[Schedule]{scheduleElement, properties[Schedule]("StartDate", "EndDate", "StartTime", "Days")}
	actions   = member[FolderAction]{actionElement, properties[FolderAction]("Size", "Age", "Actions", "SendCabTo")}
)

// extraOf are the elements that nobody knows of what an element says.
func extraOf(v any) *[]string {
	extra, _ := reflect.TypeAssert[*[]string](reflect.ValueOf(v).Elem().FieldByName("Extra").Addr())
	return extra
}

// typeElement says what a collector is, which its element says, too.
const typeElement = "DataCollectorType"

var collectorProperties = properties[Collector](
	"Name", "FileName", "FileNameFormat", "FileNamePattern", "LogAppend", "LogCircular", "LogOverwrite",
	"LatestOutputLocation",
)

var counterProperties = properties[Collector](
	"DataSourceName", "SampleInterval", "SegmentMaxRecords", "LogFileFormat", "Counters",
)

var alertProperties = properties[Collector](
	"Alerts", "EventLog", "SampleInterval", "Task", "TaskRunAsSelf", "TaskArguments", "TaskUserTextArguments", "Trigger",
)

// once lets alerts look once.
func once(table []property[Collector]) []property[Collector] {
	for i := range table {
		table[i].once = table[i].name == intervalElement
	}
	return table
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
	Alerts:   {alertElement, 3, once(alertProperties), "Alert", "AlertDisplayName"},
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

var managerProperties = properties[Manager](
	"Enabled", "CheckBeforeRunning", "MinFreeDisk", "MaxSize", "MaxFolderCount", "ResourcePolicy", "ReportFileName",
	"RuleTargetFileName", "EventsFileName", "ReportSchema", "Rules",
)
