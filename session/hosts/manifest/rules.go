package manifest

// The rules, as ids that do not change. Their sources are the counter manifest
// schema (XSD), its annotations, and MS-PCQ 2.2.4.1 and 2.2.4.2.
const (
	RuleSyntax    = "xml-syntax"     // error: not well-formed XML
	RuleLimit     = "xml-limit"      // error: beyond a limit of this package
	RuleEncoding  = "encoding"       // error: characters that cannot be read; warning: the declaration is wrong
	RuleEntity    = "entity"         // error: a reference that XML does not define
	RuleDoctype   = "doctype"        // warning: a document type is skipped
	RuleNamespace = "namespace"      // warning: not the namespace of counters; error: a prefix that is not declared
	RuleTooMany   = "too-many"       // further problems are not listed
	RuleNoContent = "no-counters"    // error: the file has no counters element
	RuleProviders = "one-provider"   // error: not exactly one provider
	RuleVersion   = "schema-version" // warning: absent, or unknown

	RuleElement      = "element"            // error: an element that the schema does not have here
	RuleElementCount = "element-count"      // error: too few or too many; warning: no counterSet
	RuleElementOrder = "element-order"      // error: structs after counters
	RuleStrayText    = "stray-text"         // warning: text between elements
	RuleUnknown      = "unknown-attribute"  // error
	RuleRequired     = "required-attribute" // error: an attribute is missing; warning: names of a base counter
	RuleVersioned    = "version-attribute"  // warning: not allowed in this schemaVersion

	RuleGUID     = "guid"          // error: format
	RuleNumber   = "number"        // error: format or range
	RuleSymbol   = "symbol"        // error: no C symbol
	RuleScale    = "default-scale" // error: no whole number of -10 to 10
	RuleValue    = "value"         // error: a word that is not in the schema's list
	RuleType     = "counter-type"  // error: unknown type; warning: a type without a formula
	RuleNameSize = "name-length"   // error: more than 1023 characters

	RuleGUIDUnique   = "unique-guid"   // error: counterset GUIDs, over all files; warning: provider GUIDs of two files
	RuleIDUnique     = "unique-id"     // error: counter ids of a set
	RuleIDReserved   = "reserved-id"   // error: 0xFFFFFFFF means no counter
	RuleNameUnique   = "unique-name"   // warning: the second one cannot be reached by a path
	RuleURIUnique    = "unique-uri"    // warning
	RuleSymbolUnique = "unique-symbol" // warning: generated code would not compile
	RuleNoName       = "no-name"       // warning: a shown counter without a name
	RulePath         = "path"          // warning: a name that no path can hold

	RuleDisplay         = "display-attribute"          // error: unknown name
	RuleDisplayUnique   = "display-attribute-unique"   // error: given twice
	RuleDisplayCount    = "display-attribute-count"    // error: more than five
	RuleDisplayConflict = "display-attribute-conflict" // warning: a combination that MS-PCQ forbids

	RuleCompanionMissing = "companion-missing" // error: the type needs baseID, perfTimeID, perfFreqID or multiCounterID
	RuleCompanionForeign = "companion-foreign" // error: the type takes no such companion
	RuleCompanionUnknown = "companion-unknown" // error: no counter of the set has this id
	RuleCompanionType    = "companion-type"    // error: the companion has the wrong type

	RuleUserStructs   = "user-mode-struct"   // warning: structs, struct or field in user mode
	RuleKernelStructs = "kernel-mode-struct" // warning: no structs or field in kernel mode
	RuleStructUnknown = "struct-unknown"     // error: a struct that the set does not declare
	RuleStructUnique  = "struct-unique"      // error: declared twice
	RuleStructChoice  = "struct-choice"      // warning: several structs, and the counter names none

	RuleStringTable   = "string-table"   // warning: a reference to the string table
	RuleStringUnknown = "string-unknown" // error: a reference that nothing resolves
)
