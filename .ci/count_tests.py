"""Prints `N passed, N failed` from Bazel's build events; exits non-zero unless all passed.

usage: count_tests.py EVENTS_JSON BAZEL_EXIT_CODE

A test target counts by the cases of its test.xml. A target that failed without a failed case (it
crashed, ran out of time or did not build) counts as one failure.
"""

import json
import os
import sys
import urllib.parse
import xml.etree.ElementTree


def cases(result):
    """(passed, failed) of one testResult event."""
    passed = failed = 0
    for output in result.get("testActionOutput", []):
        path = urllib.parse.unquote(urllib.parse.urlparse(output.get("uri", "")).path)
        if output.get("name") != "test.xml" or not os.path.exists(path):
            continue
        for case in xml.etree.ElementTree.parse(path).iter("testcase"):
            if case.get("status") == "notrun" or case.find("skipped") is not None:
                continue
            bad = case.find("failure") is not None or case.find("error") is not None
            passed, failed = passed + (not bad), failed + bad
    if result["status"] != "PASSED" and not failed:
        failed = 1
    if result["status"] == "PASSED" and not passed:
        passed = 1
    return passed, failed


def main(events, exit_code):
    passed = failed = 0
    with open(events, encoding="utf-8") as lines:
        for line in lines:
            event = json.loads(line)
            if "testResult" in event["id"] and "testResult" in event:
                more_passed, more_failed = cases(event["testResult"])
                passed, failed = passed + more_passed, failed + more_failed
            elif "targetCompleted" in event["id"] and "aborted" in event:
                failed += 1
            elif "targetCompleted" in event["id"] and not event.get("completed", {}).get("success"):
                failed += 1
    if exit_code and not failed:
        failed = 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2])))
