// The table on standard output and the CSV file.
#pragma once

#include <string>
#include <vector>

#include "perf/bench/measure.hpp"
#include "perf/csv_file.hpp"

namespace bench {

class Table {
 public:
  /// `csv`: a file's name, or empty. Throws std::runtime_error where it cannot be written.
  explicit Table(const std::string& csv);

  /// A row for each result; the head once.
  void print(const Case& what, const std::vector<Result>& results);
  /// To the CSV file only.
  void record(const Case& what, const std::vector<Result>& results);

 private:
  bool headed_ = false;
  CsvFile csv_;
};

/// "1.25 us"
std::string readable(double seconds);

/// "cpu:avx512_vnni"
std::string instruction_set();

}  // namespace bench
