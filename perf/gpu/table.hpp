// The table on standard output and the CSV file.
#pragma once

#include <string>
#include <vector>

#include "perf/csv_file.hpp"
#include "perf/gpu/measure.hpp"

namespace gpu_bench {

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
  bench::CsvFile csv_;
};

/// Rate of the INT8 products: 2 m n k moduli over their time; 0 where there were none.
double int8_tera(const Case& what, const Result& result);

}  // namespace gpu_bench
